#include "cli/completion.h"

namespace apmt {
namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string option_names(const std::vector<ArgumentDescription>& arguments) {
  std::string names;
  for (const ArgumentDescription& argument : arguments)
    if (!argument.is_positional) names += (names.empty() ? "" : " ") + joined(argument.names, " ");
  return names;
}

/// All names of an option after the verb, as patterns of a `case`: "fit:-o|fit:--output".
std::string patterns(const VerbDescription& verb, const ArgumentDescription& argument) {
  std::string text;
  for (const std::string& name : argument.names)
    text += (text.empty() ? "" : "|") + verb.name + ":" + name;
  return text;
}

bool completes_positional(const VerbDescription& verb) {
  for (const ArgumentDescription& argument : verb.arguments)
    if (argument.is_positional && argument.choices.empty()) return true;
  return false;
}

/// The words that are allowed as a verb's positional argument; empty if any word is.
std::string positional_choices(const VerbDescription& verb) {
  for (const ArgumentDescription& argument : verb.arguments)
    if (argument.is_positional && !argument.choices.empty()) return joined(argument.choices, " ");
  return {};
}

}  // namespace

// For completion, bash also splits words at the characters of COMP_WORDBREAKS. `=` is one of them,
// so the script gets "--format=py" as three words.
std::string bash_completion(const ProgramDescription& program) {
  std::string verbs, options, values, takers, positionals, commands;
  for (const VerbDescription& verb : program.verbs) {
    verbs += (verbs.empty() ? "" : " ") + verb.name;
    options += "    " + verb.name + ") echo '" + option_names(verb.arguments) + "' ;;\n";
    for (const ArgumentDescription& argument : verb.arguments) {
      if (argument.is_positional || argument.value.empty()) continue;
      takers += (takers.empty() ? "" : " | \\\n      ") + patterns(verb, argument);
      if (!argument.choices.empty())
        values += "    " + patterns(verb, argument) + ") mapfile -t COMPREPLY < <(compgen -W '" +
                  joined(argument.choices, " ") + "' -- \"$word\") ;;\n";
      else if (argument.is_path)
        values += "    " + patterns(verb, argument) + ") _apmt_paths \"$word\" ;;\n";
    }
    if (verb.ends_with_command)
      commands += (commands.empty() ? "" : "|") + verb.name;
    else if (const std::string choices = positional_choices(verb); !choices.empty())
      positionals += "    " + verb.name + ") mapfile -t COMPREPLY < <(compgen -W '" + choices +
                     "' -- \"$word\") ;;\n";
    else if (completes_positional(verb))
      positionals += "    " + verb.name + ") _apmt_paths \"$word\" ;;\n";
  }
  return "# Completion of " + program.name +
         R"sh( for bash, made by `apmt manual --completion bash`.

_apmt_paths() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$1")
}

_apmt_options() { # VERB
  case $1 in
)sh" + options +
         "    *) echo '" + option_names(program.arguments) + R"sh(' ;;
  esac
}

_apmt_takes_value() { # VERB:OPTION
  case $1 in
    )sh" +
         takers +
         R"sh() return 0 ;;
  esac
  return 1
}

_apmt_value() { # VERB:OPTION WORD
  local word=$2
  case $1 in
)sh" + values +
         R"sh(  esac
}

# The command that apmt starts: its own completion where bash-completion is loaded, else any command or file.
_apmt_command() { # INDEX of its first word
  if declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    mapfile -t COMPREPLY < <(compgen -c -f -- "${COMP_WORDS[COMP_CWORD]}")
  else
    _apmt_paths "${COMP_WORDS[COMP_CWORD]}"
  fi
}

_apmt() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb='' command=0 i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --) ((command = i + 1)) && break ;;
      -*)
        if [[ ${COMP_WORDS[i + 1]:-} == '=' ]]; then
          ((i += 2))
        elif _apmt_takes_value "$verb:${COMP_WORDS[i]}"; then
          ((i += 1))
        fi
        ;;
      *)
        if [[ -z $verb ]]; then
          verb=${COMP_WORDS[i]}
        else
          ((command = i)) && break
        fi
        ;;
    esac
  done
  case $verb in
    )sh" +
         commands +
         R"sh()
      if ((command)); then
        _apmt_command "$command"
        return
      fi
      ;;
  esac
  if [[ $word == '=' ]]; then
    word=''
  elif [[ $before == '=' ]]; then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [[ $before == -* ]] && _apmt_takes_value "$verb:$before"; then
    _apmt_value "$verb:$before" "$word"
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_apmt_options "$verb")" -- "$word")
  elif [[ -z $verb ]]; then
    mapfile -t COMPREPLY < <(compgen -W ')sh" +
         verbs + R"sh(' -- "$word")
  else
    _apmt_positional "$verb" "$word"
  fi
}

_apmt_positional() { # VERB WORD
  local word=$2
  case $1 in
    )sh" +
         commands +
         R"sh() _apmt_command "$COMP_CWORD" ;;
)sh" + positionals +
         R"sh(  esac
}

complete -F _apmt apmt
)sh";
}

}  // namespace apmt
