// Describes the verbs and options of the command line, for manual pages and completions.
// arguments.cpp fills these from the declarations that also give the help.
#pragma once

#include <string>
#include <vector>

namespace apmt {

struct ArgumentDescription {
  std::vector<std::string> names;    // "-d", "--dir"; for a positional, its name without dashes
  std::string help;                  // one line
  std::string value;                 // what follows the name, such as "PATH"; empty: a flag
  std::vector<std::string> choices;  // the only words allowed; empty: any
  std::string limits;                // of the value, such as "in [1 - 99]"
  std::string default_value;
  std::string environment;  // the variable that gives the value if the option is missing
  std::string group;        // heading in the help
  bool is_positional = false;
  bool is_path = false;
  bool required = false;
  bool repeats = false;
};

struct VerbDescription {
  std::string name;
  std::string help;    // one line
  std::string footer;  // below the options: examples and remarks
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
