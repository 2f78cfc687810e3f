// The verbs and options of the command line as values, for manual pages and completions.
// arguments.cpp reads them from the same declarations as the help.
#pragma once

#include <string>
#include <vector>

namespace apmt {

struct ArgumentDescription {
  std::vector<std::string> names;    // "-d", "--dir"; of a positional its only name, without dashes
  std::string help;                  // one line
  std::string value;                 // what follows the name, such as "PATH"; empty: a flag
  std::vector<std::string> choices;  // the only words allowed; empty: any
  std::string limits;                // on the value, such as "in [1 - 99]"
  std::string default_value;
  std::string environment;  // the variable that is read when the option is not given
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
