// The arguments of the command line. Only arguments.cpp includes CLI11, because compiling it takes
// as long as the rest of a verb.
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

/// A check of a word: returns what is wrong with it, or nothing.
struct WordCheck {
  std::function<std::string(const std::string& word)> complaint;
  std::string description;  // in the help
};

WordCheck whole_number(long low, long high);
WordCheck number(double low, double high);
WordCheck positive_number();  // of seconds or shares: no less than a billionth
WordCheck one_of(const std::vector<std::string>& words);
WordCheck existing_file();
WordCheck existing_folder();

/// An option, flag or positional of a verb. Each member returns the argument, so that they chain.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required();
  Argument check(const WordCheck& check);
  Argument comma_separated();  // "2,4,8" in one word
  Argument one_word();         // of a list: one word each time it is given
  Argument shows_default();    // the value before parsing, in the help
  Argument from_environment(const std::string& variable);
  Argument group(const std::string& name);
  Argument excludes(const Argument& other);

 private:
  CLI::Option* option_;
};

class Verb {
 public:
  Verb(CLI::App* app, std::function<int()>* called) : app_(app), called_(called) {}

  void footer(const std::string& text);
  void ends_with_command();  // what follows the first positional is the user's, options included
  /// The function that runs when the verb is called; returns the exit code.
  void action(std::function<int()> run);

  Argument add_flag(const std::string& names, bool& target, const std::string& help);
  /// T: a text, path or number, an optional one of these, or a list of them.
  template <typename T>
  Argument add_option(const std::string& names, T& target, const std::string& help);

 private:
  CLI::App* app_;
  std::function<int()>* called_;
};

/// What --version prints, without --json and with it.
struct VersionTexts {
  std::function<std::string()> text;
  std::function<std::string()> json;
};

class CommandLine {
 public:
  CommandLine(const std::string& what, const VersionTexts& version, const std::string& footer);
  ~CommandLine();

  /// Counts how often the flag is given.
  void add_flag(const std::string& names, int& count, const std::string& help);
  Verb add_verb(const std::string& name, const std::string& help);

  /// Every verb and option that has been added.
  ProgramDescription describe() const;

  /// The action of the verb that was called. If there is none, help or an error has been printed,
  /// and `exit_code` is set.
  std::function<int()> parse(int argc, char** argv, int* exit_code);

 private:
  std::unique_ptr<CLI::App> app_;
  std::function<int()> called_;
};

}  // namespace apmt
