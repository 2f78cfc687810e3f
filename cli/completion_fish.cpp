#include "cli/completion.h"

namespace apmt {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string option(const ArgumentDescription& argument) {
  std::string text;
  for (const std::string& name : argument.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!argument.value.empty()) text += argument.is_path ? " -r -F" : " -x";
  if (!argument.choices.empty()) text += " -a " + fish_quoted(joined(argument.choices));
  return text + " -d " + fish_quoted(argument.help);
}

std::string positional(const ArgumentDescription& argument, const VerbDescription& verb) {
  if (verb.ends_with_command) return " -x -a '(__fish_complete_subcommand --fcs-skip=2)'";
  return argument.choices.empty() ? " -F" : " -x -a " + fish_quoted(joined(argument.choices));
}

}  // namespace

std::string fish_completion(const ProgramDescription& program) {
  std::string text = "# Completion of " + program.name +
                     " for fish, made by `apmt manual --completion fish`.\n"
                     "complete -c apmt -f\n";
  const std::string start = "complete -c " + program.name + " -n __fish_use_subcommand";
  for (const ArgumentDescription& argument : program.arguments)
    text += start + option(argument) + "\n";
  for (const VerbDescription& verb : program.verbs) {
    text += start + " -a " + verb.name + " -d " + fish_quoted(verb.help) + "\n";
    const std::string of_verb =
        "complete -c " + program.name + " -n '__fish_seen_subcommand_from " + verb.name + "'";
    for (const ArgumentDescription& argument : verb.arguments)
      text +=
          of_verb + (argument.is_positional ? positional(argument, verb) : option(argument)) + "\n";
  }
  return text;
}

}  // namespace apmt
