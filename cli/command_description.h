// Describes the verbs and options of the command line, for manual pages and completions.
// CommandLine::describe (arguments.cpp) fills these structures from the same declarations from
// which CLI11 prints the help.
#pragma once

#include <string>
#include <vector>

namespace apmt {

struct ArgumentDescription {
  std::vector<std::string> names;    // "-d", "--dir"; for a positional, its name without dashes
  std::string help;                  // one line
  std::string value;                 // the kind of value, such as "PATH"; empty for a flag
  std::vector<std::string> choices;  // the only words allowed; empty if any word is
  std::string limits;                // of the value, such as "in [1 - 99]"
  std::string default_value;
  std::string environment;  // environment variable that is used if the option is not given
  std::string group;        // heading above the option in the help
  bool is_positional = false;
  bool is_path = false;
  bool required = false;
  bool repeats = false;
};

struct VerbDescription {
  std::string name;
  std::string help;    // one line
  std::string footer;  // examples and remarks below the options
  std::vector<ArgumentDescription> arguments;
  bool ends_with_command = false;
};

struct ProgramDescription {
  std::string name;
  std::string version;
  std::string help;
  std::string footer;
  std::vector<ArgumentDescription> arguments;
  std::vector<VerbDescription> verbs;
};

}  // namespace apmt
