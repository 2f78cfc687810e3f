#include "campaign/launching/command_template.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "base/input_error.h"
#include "base/process_grid.h"
#include "base/words.h"

namespace apmt {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The length of the divisor that follows the name p, for example of "/2" in {p/2}; 0: there is
/// none.
std::size_t quotient_size(std::string_view name, std::string_view rest) {
  if (name != "p" || !rest.starts_with('/')) return 0;
  const std::size_t size = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
  return size > 1 ? size : 0;
}

/// Replaces every {name} in the word with the result of `value_of`.
std::string replaced(const std::string& word,
                     const std::function<std::string(const std::string&)>& value_of) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at + 1;
    while (end < word.size() && is_name_character(word[end])) ++end;
    end += quotient_size(std::string_view(word).substr(at + 1, end - at - 1),
                         std::string_view(word).substr(std::min(end, word.size())));
    const bool is_place = word[at] == '{' && end > at + 1 && end < word.size() &&
                          word[end] == '}' && (at == 0 || word[at - 1] != '$');
    if (!is_place) {
      out += word[at++];
      continue;
    }
    const std::string name = word.substr(at + 1, end - at - 1);
    if (!out.empty() && out.back() == '{' && end + 1 < word.size() && word[end + 1] == '}') {
      out += name + "}";
      at = end + 2;
      continue;
    }
    out += value_of(name);
    at = end + 1;
  }
  return out;
}

/// The value of "{p/4}": 4 for 16 processes.
std::string quotient(int procs, const std::string& name) {
  const long divisor = std::atol(name.c_str() + 2);
  if (divisor < 1 || procs % divisor != 0)
    throw InputError(
        "the command",
        "{" + name + "} is not a whole number for " + counted(procs, "process", "processes"),
        "leave that process count out, or use a divisor of it");
  return std::to_string(procs / divisor);
}

/// Names for the sides of the squarest process grid; the name of side i is at position 2 i.
constexpr std::string_view kGridSides = "pxpypz";

}  // namespace

std::map<std::string, double> CampaignPoint::params() const {
  std::map<std::string, double> params;
  for (const auto& [name, size] : sizes) params[name] = size.value;
  return params;
}

std::string CampaignPoint::words() const {
  std::string text = std::to_string(procs) + (procs == 1 ? " process" : " processes");
  for (const auto& [name, size] : sizes) text += ", " + name + " = " + size.text;
  return text;
}

bool CommandTemplate::has_place(const std::function<bool(const std::string&)>& is_it) const {
  bool found = false;
  for (const std::string& word : words_)
    replaced(word, [&](const std::string& place) {
      found = found || is_it(place);
      return std::string();
    });
  return found;
}

bool CommandTemplate::uses(const std::string& name) const {
  return has_place([&](const std::string& place) { return place == name; });
}

bool CommandTemplate::uses_procs() const {
  return has_place(
      [](const std::string& place) { return place == "p" || place.starts_with("p/"); });
}

std::vector<std::string> CommandTemplate::filled(const CampaignPoint& point) const {
  std::vector<std::string> command;
  for (const std::string& word : words_)
    command.push_back(replaced(word, [&](const std::string& name) {
      if (name == "p") return std::to_string(point.procs);
      if (name.starts_with("p/")) return quotient(point.procs, name);
      const auto size = point.sizes.find(name);
      if (const std::size_t side = kGridSides.find(name);
          size == point.sizes.end() && name.size() == 2 && side % 2 == 0)  // npos is odd
        return std::to_string(process_grid(point.procs, uses("pz") ? 3 : 2)[side / 2]);
      if (size == point.sizes.end())
        throw InputError("the command", "{" + name + "} has no value",
                         "give it one with --set " + name + "=..., or write {{" + name +
                             "}} when the braces are the program's");
      return size->second.text;
    }));
  return command;
}

std::string CommandTemplate::without_places(const std::string& word) {
  std::string name = replaced(word, [](const std::string&) { return std::string(); });
  while (!name.empty() && std::string(".-_").find(name.back()) != std::string::npos)
    name.pop_back();
  return name;
}

}  // namespace apmt
