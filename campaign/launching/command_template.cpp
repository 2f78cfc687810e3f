#include "campaign/launching/command_template.h"

#include <algorithm>
#include <functional>

#include "base/input_error.h"

namespace apmt {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// Calls `value_of` for every {name} of the word and puts what it says there.
std::string replaced(const std::string& word,
                     const std::function<std::string(const std::string&)>& value_of) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at + 1;
    while (end < word.size() && is_name_character(word[end])) ++end;
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

bool CommandTemplate::uses(const std::string& name) const {
  bool found = false;
  for (const std::string& word : words_)
    replaced(word, [&](const std::string& place) {
      found = found || place == name;
      return std::string();
    });
  return found;
}

std::vector<std::string> CommandTemplate::filled(const CampaignPoint& point) const {
  std::vector<std::string> command;
  for (const std::string& word : words_)
    command.push_back(replaced(word, [&](const std::string& name) {
      if (name == "p") return std::to_string(point.procs);
      const auto size = point.sizes.find(name);
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
