#include "campaign/launching/command_template.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
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

constexpr std::string_view kArithmetic = "0123456789+-*/%.() ";
/// Names for the sides of the squarest process grid; the name of side i is at position 2 i.
constexpr std::string_view kGridSides = "pxpypz";

using Sizes = std::map<std::string, SizeValue>;

/// Whether the text is arithmetic with a value that a place can have, such as "2p" or "n/4".
bool is_arithmetic(const std::string& text, const Sizes& sizes) {
  bool has_value = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_name_character(text[at])) continue;
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const std::string name = text.substr(at, end - at);
    const std::size_t side = kGridSides.find(name);
    if (name != "p" && name != "P" && (name.size() != 2 || side % 2 != 0) && !sizes.contains(name))
      return false;
    has_value = true;
    at = end;
  }
  return has_value;
}

/// Where the text between the brace at `at` and the next brace ends, if it is a place, or something
/// that was meant as one: arithmetic with the process count, a side of the grid or a size, or such
/// a place without its closing brace.
std::optional<std::size_t> end_of_place(const std::string& word, std::size_t at,
                                        const Sizes& sizes) {
  if (word[at] != '{' || (at > 0 && word[at - 1] == '$')) return std::nullopt;
  std::size_t end = at + 1;
  while (end < word.size() && is_name_character(word[end])) ++end;
  end += quotient_size(std::string_view(word).substr(at + 1, end - at - 1),
                       std::string_view(word).substr(end));
  if (end > at + 1 && end < word.size() && word[end] == '}') return end;
  end = at + 1;
  while (end < word.size() &&
         (is_name_character(word[end]) || kArithmetic.find(word[end]) != std::string_view::npos))
    ++end;
  const bool is_closed = end == word.size() || word[end] == '}';
  if (is_closed && is_arithmetic(word.substr(at + 1, end - at - 1), sizes)) return end;
  return std::nullopt;
}

InputError not_a_place(const std::string& word, const std::string& text) {
  return InputError(
      "the command", "'" + word + "': {" + text + "} cannot be replaced",
      "what can is {p}, {p/2} with any whole number, {px}, {py}, {pz}, and {n} for the "
      "size n of --set; write {{" +
          text + "}} when the braces are the program's");
}

/// Replaces every {name} in the word with the result of `value_of`, which also gets texts that were
/// only meant as places.
std::string replaced(const std::string& word, const Sizes& sizes,
                     const std::function<std::string(const std::string&)>& value_of) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const std::optional<std::size_t> found = end_of_place(word, at, sizes);
    const std::size_t end = found.value_or(0);
    if (found && end == word.size())
      throw InputError("the command", "'" + word + "': a brace is not closed",
                       "write {" + word.substr(at + 1) + "}");
    if (!found) {
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
    replaced(word, {}, [&](const std::string& place) {
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
    command.push_back(replaced(word, point.sizes, [&](const std::string& name) {
      if (name == "p") return std::to_string(point.procs);
      if (name.starts_with("p/") && 1 + quotient_size("p", name.substr(1)) == name.size())
        return quotient(point.procs, name);
      const auto size = point.sizes.find(name);
      if (const std::size_t side = kGridSides.find(name);
          size == point.sizes.end() && name.size() == 2 && side % 2 == 0)  // npos is odd
        return std::to_string(process_grid(point.procs, uses("pz") ? 3 : 2)[side / 2]);
      if (!std::ranges::all_of(name, is_name_character)) throw not_a_place(word, name);
      if (size == point.sizes.end())
        throw InputError("the command", "{" + name + "} has no value",
                         "give it one with --set " + name + "=..., or write {{" + name +
                             "}} when the braces are the program's");
      return size->second.text;
    }));
  return command;
}

std::string CommandTemplate::without_places(const std::string& word) {
  std::string name = replaced(word, {}, [](const std::string&) { return std::string(); });
  while (!name.empty() && std::string(".-_").find(name.back()) != std::string::npos)
    name.pop_back();
  return name;
}

}  // namespace apmt
