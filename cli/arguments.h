// Declares and parses the arguments of the command line, as a thin layer over the library CLI11.
// Only arguments.cpp includes CLI11, because compiling it takes as long as compiling the rest of a
// verb.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_description.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace apmt {

/// A check of one word of the command line. `complaint` returns what is wrong with the word, or an
/// empty text.
struct WordCheck {
  std::function<std::string(const std::string& word)> complaint;
  std::string description;  // as shown in the help
};

WordCheck whole_number(long low, long high);
WordCheck number(double low, double high);
WordCheck positive_number();  // at least 1e-9; for seconds and shares
WordCheck one_of(const std::vector<std::string>& words);
WordCheck existing_file();
WordCheck existing_folder();
WordCheck existing_path();  // a file or folder, shown as a file

/// An option, flag or positional of a verb. All members return the argument, so that calls can be
/// chained.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required();
  Argument check(const WordCheck& check);
  Argument comma_separated();  // "2,4,8" in one word
  Argument one_word();         // for a list: takes a single word each time the option is given
  Argument shows_default();    // the help shows the initial value of `target`
  Argument from_environment(const std::string& variable);
  Argument group(const std::string& name);
  Argument excludes(const Argument& other);

 private:
  CLI::Option* option_;
};

/// Parses a positive number with an optional unit: "10%" (which is 0.1), "0.1", "200core-hours",
/// "200 core-hours". Throws InputError.
double number_with(const std::string& option, const std::string& text, const std::string& unit);

/// A subcommand such as `apmt fit`.
class Verb {
 public:
  Verb(CLI::App* app, std::function<int()>* called) : app_(app), called_(called) {}

  void footer(const std::string& text);
  void ends_with_command();  // all words after the first positional belong to the user's command
  /// Sets the function that runs if the verb is called; it returns the exit code.
  void action(std::function<int()> run);

  Argument add_flag(const std::string& names, bool& target, const std::string& help);
  /// T is a text, path or number, a std::optional number, or a std::vector of these.
  template <typename T>
  Argument add_option(const std::string& names, T& target, const std::string& help);

 private:
  CLI::App* app_;
  std::function<int()>* called_;
};

/// What --version prints, as text and with --json.
struct VersionTexts {
  std::function<std::string()> text;
  std::function<std::string()> json;
};

class CommandLine {
 public:
  CommandLine(const std::string& what, const VersionTexts& version, const std::string& footer);
  ~CommandLine();

  /// `count` becomes the number of times that the flag is given.
  void add_flag(const std::string& names, int& count, const std::string& help);
  Verb add_verb(const std::string& name, const std::string& help);

  /// Every verb and option that has been added.
  ProgramDescription describe() const;

  /// Returns the action of the verb that the user called. If there is none, prints the help or an
  /// error, sets `exit_code` and returns an empty function.
  std::function<int()> parse(int argc, char** argv, int* exit_code);

 private:
  std::unique_ptr<CLI::App> app_;
  std::function<int()> called_;
};

}  // namespace apmt
