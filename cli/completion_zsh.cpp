#include "cli/completion.h"

namespace apmt {
namespace {

/// Quotes text for use inside [...] of a zsh specification that is itself inside '...' of the
/// shell.
std::string zsh_quoted(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      quoted += std::string("\\") + c;
    else
      quoted += c;
  }
  return quoted;
}

std::string action(const ArgumentDescription& argument) {
  if (argument.choices.empty()) return argument.is_path ? "_files" : " ";
  std::string words;
  for (const std::string& word : argument.choices) words += (words.empty() ? "" : " ") + word;
  return "(" + words + ")";
}

/// The specifications for zsh's _arguments, one for each name of an argument, such as '(-d
/// --dir)--dir[help]:PATH:_files'.
std::string specification(const ArgumentDescription& argument, const VerbDescription* verb) {
  if (argument.is_positional) {
    if (verb != nullptr && verb->ends_with_command)
      return " '*::" + zsh_quoted(argument.names.front()) + ":_normal'";
    return std::string(" '") + (argument.repeats ? "*" : "") + ":" +
           zsh_quoted(argument.names.front()) + ":" +
           (argument.choices.empty() ? "_files" : action(argument)) + "'";
  }
  std::string all;
  for (const std::string& name : argument.names) all += (all.empty() ? "" : " ") + name;
  std::string text;
  for (const std::string& name : argument.names) {
    text += " '" + (argument.repeats ? "*" : "(" + all + ")") + name;
    text += "[" + zsh_quoted(argument.help) + "]";
    if (!argument.value.empty()) text += ":" + argument.value + ":" + action(argument);
    text += "'";
  }
  return text;
}

std::string specifications(const std::vector<ArgumentDescription>& arguments,
                           const VerbDescription* verb) {
  std::string text;
  for (const ArgumentDescription& argument : arguments)
    text += " \\\n        " + specification(argument, verb).substr(1);
  return text;
}

}  // namespace

std::string zsh_completion(const ProgramDescription& program) {
  std::string verbs, cases;
  for (const VerbDescription& verb : program.verbs) {
    verbs += "    '" + verb.name + ":" + zsh_quoted(verb.help) + "'\n";
    cases += "    " + verb.name + ")\n      _arguments -S" + specifications(verb.arguments, &verb) +
             " ;;\n";
  }
  return "#compdef " + program.name + "\n# Completion of " + program.name +
         R"( for zsh, made by `apmt manual --completion zsh`.

local curcontext=$curcontext state line
local -a verbs
verbs=(
)" + verbs +
         ")\n_arguments -C" + specifications(program.arguments, nullptr) + R"( \
        '1: :->verb' '*:: :->arguments'
if [[ $state == verb ]]; then
  _describe -t verbs verb verbs
elif [[ $state == arguments ]]; then
  case $line[1] in
)" + cases +
         "  esac\nfi\n";
}

}  // namespace apmt
