#include "fitter/runs/layout.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <tuple>

#include "base/words.h"

namespace apmt {
namespace {

constexpr double kSameFrequency = 1.05;  // largest ratio of two measurements of one frequency

}  // namespace

Layout layout_of(const RunConfig& config) {
  const bool is_known = std::int64_t{config.nodes} * config.max_ranks_per_node >= config.procs;
  return {config.nodes, is_known ? config.max_ranks_per_node : 0,
          std::max(1, config.threads_per_rank),
          config.frequency_hz.value_or(0) > 0 ? config.frequency_hz : std::nullopt};
}

bool is_like(const Layout& a, const Layout& b) {
  const auto placed = [](const Layout& l) {
    return std::tie(l.nodes, l.ranks_per_node, l.threads_per_rank);
  };
  if (placed(a) != placed(b)) return false;
  if (!a.frequency_hz || !b.frequency_hz) return true;
  const auto [low_hz, high_hz] = std::minmax(*a.frequency_hz, *b.frequency_hz);
  return high_hz <= kSameFrequency * low_hz;
}

std::string words(const Layout& l) {
  std::string text = counted(l.nodes, "node");
  if (l.nodes > 1)
    text += ", " + counted(l.ranks_per_node, "process", "processes") + " on the fullest";
  if (l.threads_per_rank > 1) text += ", " + counted(l.threads_per_rank, "thread") + " each";
  if (!l.frequency_hz) return text;
  char gigahertz[32];
  std::snprintf(gigahertz, sizeof gigahertz, ", %.3g GHz", *l.frequency_hz / 1e9);
  return text + gigahertz;
}

}  // namespace apmt
