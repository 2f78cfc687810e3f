#include "profiler/simulated/copies.h"

#include <charconv>
#include <filesystem>
#include <optional>

namespace apmt {
namespace {

/// Removes the number at the beginning of the text and returns it.
std::optional<int> take_number(std::string_view* text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  return number;
}

bool take(std::string_view prefix, std::string_view* text) {
  if (!text->starts_with(prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

/// The rank of a copy of the program: 7 for "/tmp/app_1234_7.so", which process 1234 made of the
/// program that was started as app.
std::optional<int> rank_of_copy(const std::string& object, const std::string& started_as) {
  const std::string name = std::filesystem::path(object).filename().string();
  std::string_view rest = name;
  if (!take(started_as, &rest) || !take("_", &rest) || !take_number(&rest) || !take("_", &rest))
    return std::nullopt;
  const std::optional<int> rank = take_number(&rest);
  return rest == ".so" ? rank : std::nullopt;
}

}  // namespace

std::vector<CallgrindProfile> by_copy(const CallgrindProfile& all, const std::string& program,
                                      const std::string& started_as) {
  std::vector<CallgrindProfile> ranks(static_cast<std::size_t>(all.ranks));
  for (int r = 0; r < all.ranks; ++r) {
    CallgrindProfile& one = ranks[static_cast<std::size_t>(r)];
    one.rank = r;
    one.ranks = all.ranks;
    one.events = all.events;
    one.totals.resize(all.events.size());
  }
  for (const auto& [function, costs] : all.costs) {
    const std::optional<int> rank = rank_of_copy(function.object, started_as);
    if (!rank || *rank >= all.ranks) continue;
    CallgrindProfile& one = ranks[static_cast<std::size_t>(*rank)];
    one.costs[{program, function.name, function.source}] = costs;
    for (std::size_t e = 0; e < costs.size(); ++e) one.totals[e] += costs[e];
  }
  return ranks;
}

}  // namespace apmt
