#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <type_traits>

#include "base/input_error.h"

namespace apmt {
namespace {

/// CLI11's "NAME is required" as "'NAME' is missing".
std::string missing_words(const std::string& required) {
  const std::string name = required.substr(0, required.find(" is required"));
  return (name.starts_with('-') ? name : "'" + name + "'") + " is missing";
}

/// The message of a parse error. If an argument is missing and a word is unknown, the word is
/// probably the misspelt argument, so the message names the word. If a value is wrong and an option
/// is unknown, the value is probably that of the option.
CLI::ParseError in_words(const CLI::ParseError& error, const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (error.get_name() == "ValidationError" && !unknown.empty() &&
      unknown.front().starts_with('-') && unknown.front() != "--")
    return CLI::ExtrasError("apmt", {"unknown option " + unknown.front()});
  if (error.get_name() != "RequiredError") return error;
  const bool is_verb = app.get_subcommands().empty();  // whether the missing argument is the verb
  const std::string missing = is_verb ? "a verb is missing" : missing_words(error.what());
  const bool is_option = !unknown.empty() && unknown.front().starts_with('-');
  const std::string what = unknown.empty() ? missing
                           : is_option     ? "unknown option " + unknown.front()
                           : is_verb       ? "no verb is called " + unknown.front()
                                           : "not expected: " + unknown.front();
  return CLI::RequiredError(unknown.empty() || is_verb ? what : what + "; " + missing,
                            CLI::ExitCodes::RequiredError);
}

/// In the form of all other errors.
std::string failure_text(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> verbs = app->get_subcommands();
  const std::string verb = verbs.empty() ? "" : " " + verbs.front()->get_name();
  return std::string("apmt: error: ") + error.what() + "\napmt: error: hint: apmt" + verb +
         " --help\n";
}

constexpr const char* kPath = "PATH";
constexpr auto kAll = [](const CLI::App*) { return true; };

/// Splits CLI11's type names, such as "TEXT:{strong,weak}" and "INT:in [1 - 99]", into the kind of
/// value and its choices or limits.
void describe_value(const std::string& type, ArgumentDescription* described) {
  const std::size_t colon = type.find(':');
  described->value = type.substr(0, colon);
  described->is_path = described->value == kPath;
  if (colon == std::string::npos) return;
  const std::string limits = type.substr(colon + 1);
  if (!limits.starts_with('{')) {
    if (limits != "FILE" && limits != "DIR") described->limits = limits;
    return;
  }
  std::istringstream words(limits.substr(1, limits.size() - 2));
  for (std::string word; std::getline(words, word, ',');) described->choices.push_back(word);
}

ArgumentDescription described(const CLI::Option& option) {
  ArgumentDescription described;
  described.is_positional = option.get_positional();
  for (const std::string& name : option.get_snames()) described.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) described.names.push_back("--" + name);
  if (described.is_positional) described.names = {option.get_name(true)};
  described.help = option.get_description();
  if (option.get_items_expected_max() > 0) describe_value(option.get_type_name(), &described);
  described.default_value = option.get_default_str();
  described.environment = option.get_envname();
  described.group = option.get_group();
  described.required = option.get_required();
  described.repeats = option.get_expected_max() >= CLI::detail::expected_max_vector_size;
  return described;
}

std::vector<ArgumentDescription> described_arguments(const CLI::App& app) {
  std::vector<ArgumentDescription> all;
  for (const CLI::Option* option : app.get_options()) all.push_back(described(*option));
  return all;
}

/// A check that one of CLI11's validators makes, with its messages.
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
WordCheck existing_path() { return {of(CLI::ExistingPath).complaint, existing_file().description}; }

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
  CLI::Option* option = app_->add_option(names, target, help);
  if constexpr (std::is_same_v<T, std::filesystem::path> ||
                std::is_same_v<T, std::vector<std::filesystem::path>>)
    option->type_name(kPath);
  return Argument(option);
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

CommandLine::CommandLine(const std::string& what, const VersionTexts& version,
                         const std::string& footer)
    : app_(std::make_unique<CLI::App>(what, "apmt")) {
  app_->require_subcommand(1);
  app_->failure_message(failure_text);
  // --json is not declared here: if it were an option of apmt itself, every verb would accept it.
  // --version finds it among the words that were not parsed.
  app_->set_version_flag(
      "--version",
      [app = app_.get(), version] {
        const std::vector<std::string> others = app->remaining();
        const bool as_json = std::find(others.begin(), others.end(), "--json") != others.end();
        return as_json ? version.json() : version.text();
      },
      "Print version, commit and features and exit; with --json as JSON");
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

ProgramDescription CommandLine::describe() const {
  ProgramDescription program;
  program.name = app_->get_name();
  program.help = app_->get_description();
  program.footer = app_->get_footer();
  program.arguments = described_arguments(*app_);
  for (const CLI::App* verb : app_->get_subcommands(kAll))
    program.verbs.push_back({verb->get_name(), verb->get_description(), verb->get_footer(),
                             described_arguments(*verb), verb->get_positionals_at_end()});
  return program;
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
