#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/input_error.h"

namespace apmt {
namespace {

/// A missing argument is often there but misspelt: then the unknown word is reported.
CLI::ParseError in_words(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (error.get_name() != "RequiredError" || unknown.empty()) return error;
  const bool is_verb = app.get_subcommands().empty();  // that is missing
  const bool is_option = unknown.front().starts_with('-');
  const std::string what = (is_option ? "unknown option "
                            : is_verb ? "no verb is called "
                                      : "not expected: ") +
                           unknown.front();
  return CLI::RequiredError(is_verb ? what : what + "; " + error.what(),
                            CLI::ExitCodes::RequiredError);
}

/// Those of CLI11, whose words users of other programs know.
WordCheck of(const CLI::Validator& validator) {
  return {[validator](const std::string& word) {
            std::string may_be_changed = word;
            return validator(may_be_changed);
          },
          validator.get_description()};
}

}  // namespace

WordCheck one_of(const std::vector<std::string>& words) { return of(CLI::IsMember(words)); }
WordCheck existing_file() { return of(CLI::ExistingFile); }
WordCheck existing_folder() { return of(CLI::ExistingDirectory); }

Argument Argument::required() {
  option_->required();
  return *this;
}

Argument Argument::check(const WordCheck& check) {
  option_->check(CLI::Validator(
      [complaint = check.complaint](const std::string& word) { return complaint(word); },
      check.description));
  return *this;
}

Argument Argument::comma_separated() {
  option_->delimiter(',');
  return one_word();
}

Argument Argument::one_word() {
  option_->allow_extra_args(false);
  return *this;
}

Argument Argument::shows_default() {
  option_->capture_default_str();
  return *this;
}

Argument Argument::from_environment(const std::string& variable) {
  option_->envname(variable);
  return *this;
}

Argument Argument::group(const std::string& name) {
  option_->group(name);
  return *this;
}

Argument Argument::excludes(const Argument& other) {
  option_->excludes(other.option_);
  return *this;
}

void Verb::footer(const std::string& text) { app_->footer(text); }

void Verb::action(std::function<int()> run) {
  app_->callback([called = called_, run = std::move(run)] { *called = run; });
}

void Verb::ends_with_command() { app_->positionals_at_end(); }

Argument Verb::add_flag(const std::string& names, bool& target, const std::string& help) {
  return Argument(app_->add_flag(names, target, help));
}

template <typename T>
Argument Verb::add_option(const std::string& names, T& target, const std::string& help) {
  return Argument(app_->add_option(names, target, help));
}

#define APMT_OPTION_OF(...) \
  template Argument Verb::add_option(const std::string&, __VA_ARGS__&, const std::string&);
APMT_OPTION_OF(std::string)
APMT_OPTION_OF(std::filesystem::path)
APMT_OPTION_OF(int)
APMT_OPTION_OF(double)
APMT_OPTION_OF(std::size_t)
APMT_OPTION_OF(std::optional<int>)
APMT_OPTION_OF(std::optional<double>)
APMT_OPTION_OF(std::vector<int>)
APMT_OPTION_OF(std::vector<double>)
APMT_OPTION_OF(std::vector<std::string>)
APMT_OPTION_OF(std::vector<std::filesystem::path>)
#undef APMT_OPTION_OF

CommandLine::CommandLine(const std::string& what, const std::string& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(what, "apmt")) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", version);
  app_->footer(footer);
  app_->fallthrough();
}

CommandLine::~CommandLine() = default;

void CommandLine::add_flag(const std::string& names, int& count, const std::string& help) {
  app_->add_flag(names, count, help);
}

Verb CommandLine::add_verb(const std::string& name, const std::string& help) {
  return {app_->add_subcommand(name, help), &called_};
}

std::function<int()> CommandLine::parse(int argc, char** argv, int* exit_code) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool is_help = app_->exit(in_words(error, *app_)) == 0;
    *exit_code = static_cast<int>(is_help ? ExitCode::kOk : ExitCode::kUsage);
    return nullptr;
  }
  return called_;
}

}  // namespace apmt
