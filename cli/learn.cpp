// apmt learn: trains classifiers with kernels that have been ported, to predict which device suits
// another kernel.

#include <algorithm>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/json_fields.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "devices/learned/collect.h"
#include "devices/learned/data_checks.h"
#include "devices/learned/data_set.h"
#include "devices/learned/learned_model.h"
#include "devices/learned/svm.h"
#include "devices/learned/validation.h"
#include "reports/devices/learned.h"
#include "reports/render.h"

namespace apmt {
namespace {

using learned::DataSet;
using learned::LearnerKind;
using learned::Question;
using learned::Split;

constexpr const char* kLearnFooter =
    "import reads data sets, joins them and reports what is missing, constant, duplicated or\n"
    "shared. collect adds a kernel of an analysis (apmt analyze --with aiwc), with its measured\n"
    "times. validate leaves runs and applications out and scores predictions for them. train\n"
    "writes the model that apmt advise uses. Without a file each uses the data that come with\n"
    "apmt. docs/learned.md describes the files and the figures.\n"
    "\n"
    "Examples:\n"
    "  apmt learn import                           the shipped data\n"
    "  apmt learn import ours.csv theirs.csv -o all.csv\n"
    "  apmt learn collect ours.csv --analysis analysis.json --kernel solve \\\n"
    "    --application app --time cpu=0.012 --time gpu=3.1e-3 -o ours.csv\n"
    "  apmt learn validate --device gtx1080\n"
    "  apmt learn validate --learner nnge,svm --split one-application --threshold 1,2,3,4,5\n"
    "  apmt learn validate --best i7-6700k,gtx1080,fiji-furyx --times\n"
    "  apmt learn train ours.csv -o ours.json";

struct LearnArguments {
  std::string action;
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  std::filesystem::path analysis;
  learned::MeasuredKernel measured;
  std::vector<std::string> devices;
  std::vector<double> thresholds = {1};
  std::vector<std::string> best;
  bool times = false;
  std::vector<std::string> learners;
  std::vector<std::string> splits;
  int seed = 1;
  int trees = 100;
  bool json = false;
};

DataSet data_of(const LearnArguments& options) {
  if (options.files.empty()) return learned::read_data_set(configs_dir() / "learned" / "aiwc.csv");
  std::vector<DataSet> sets;
  for (const std::filesystem::path& file : options.files)
    sets.push_back(learned::read_data_set(file));
  return learned::joined(std::move(sets));
}

void print(const Report& report, const Json& json, bool as_json) {
  std::fputs((as_json ? format_json(json) : render_text(report, text_columns())).c_str(), stdout);
}

void write_data(const DataSet& data, const std::filesystem::path& file) {
  write_file_atomically(file, to_text(data));
  logging::info("data set written to {}", file.string());
}

int import(const LearnArguments& options) {
  const DataSet data = data_of(options);
  const learned::DataFindings findings = check_data(data);
  print(make_data_report(findings), struct_to_json(findings), options.json);
  if (!options.output.empty()) write_data(data, options.output);
  return 0;
}

int collect(const LearnArguments& options) {
  if (options.files.size() != 1 || options.analysis.empty() || options.output.empty())
    throw InputError("", "collect needs one data set, --analysis and -o",
                     "apmt learn collect ours.csv --analysis analysis.json ... -o ours.csv");
  DataSet data = learned::read_data_set(options.files[0], 0);  // accepts a data set without runs
  collect(&data, options.analysis, options.measured);
  write_data(data, options.output);
  if (options.json) {
    const learned::DataFindings findings = check_data(data);
    print(make_data_report(findings), struct_to_json(findings), options.json);
  }
  return 0;
}

/// The questions to learn. For each device of --device (by default for all): whether its speed-up
/// exceeds each threshold and, with --times, its time. For the devices of --best (for all devices
/// if neither --best nor --device is given): which of them is the fastest.
std::vector<Question> questions_of(const DataSet& data, const LearnArguments& options) {
  std::vector<Question> questions;
  for (Question& question : speed_up_questions(data.head, options.thresholds))
    if (options.devices.empty() ||
        std::count(options.devices.begin(), options.devices.end(), question.device))
      questions.push_back(std::move(question));
  for (const std::string& device : options.devices) data.device_index(device);
  std::vector<std::string> best = options.best;
  if (best.empty() && options.devices.empty())
    for (const learned::KnownDevice& device : data.head.devices) best.push_back(device.name);
  for (const std::string& device : best) data.device_index(device);
  if (best.size() == 1)
    throw InputError("--best", "a single device cannot be compared", "name two or more");
  if (!best.empty()) questions.push_back({.kind = Question::Kind::kBest, .devices = best});
  for (const learned::KnownDevice& device : data.head.devices)
    if (options.times && (options.devices.empty() ||
                          std::count(options.devices.begin(), options.devices.end(), device.name)))
      questions.push_back({.kind = Question::Kind::kTime, .device = device.name});
  return questions;
}

learned::ValidationOptions validation_options(const LearnArguments& options, Progress* progress) {
  learned::ValidationOptions validation;
  for (const std::string& name : options.learners)
    validation.learners.push_back(learned::learner_of(name));
  for (std::size_t s = 0; s < std::size(learned::kSplitNames); ++s)
    if (std::count(options.splits.begin(), options.splits.end(), learned::kSplitNames[s]))
      validation.splits.push_back(static_cast<Split>(s));
  validation.seed = static_cast<std::uint64_t>(options.seed);
  validation.trees = options.trees;
  validation.on_progress = [progress](std::size_t done, std::size_t all) {
    progress->at(done, all);
  };
  return validation;
}

int validate(LearnArguments options) {
  if (options.learners.empty()) {
    options.learners = {"nnge", "forest", "neighbour"};
    if (learned::has_svm()) options.learners.insert(options.learners.begin() + 1, "svm");
  }
  if (options.splits.empty()) options.splits = {"one-application", "two-applications", "one-run"};
  const DataSet data = data_of(options);
  std::vector<learned::ScoreLine> lines;
  {
    Progress progress("validating");
    lines = validate(data, questions_of(data, options), validation_options(options, &progress));
  }
  print(make_learned_validation_report(data.head.title, lines), to_json(lines), options.json);
  return 0;
}

int train(LearnArguments options) {
  if (options.learners.empty()) options.learners = {"forest"};
  if (options.learners.size() > 1)
    throw InputError("--learner", "a model has one learner", "validate compares several");
  if (options.output.empty()) options.output = "learned.json";
  learned::LearnedModel model;
  {
    Progress progress("learning");
    model = train_model(data_of(options), validation_options(options, &progress));
  }
  const std::string text = to_text(model);
  write_file_atomically(options.output, text);
  print(make_learned_model_report(model), parse_json(text, "model"), options.json);
  logging::info("model written to {}", options.output.string());
  return 0;
}

int run_learn(const LearnArguments& options) {
  if (options.action == "import") return import(options);
  if (options.action == "collect") return collect(options);
  if (options.action == "validate") return validate(options);
  return train(options);
}

}  // namespace

void add_learn(CommandLine& program) {
  Verb verb = program.add_verb(kLearn.name, kLearn.help);
  verb.footer(kLearnFooter);
  auto options = std::make_shared<LearnArguments>();
  verb.add_option("action", options->action, "What to do")
      .required()
      .check(one_of({"import", "collect", "validate", "train"}));
  verb.add_option("file", options->files, "Data sets [the data that come with apmt]")
      .check(existing_file());
  verb.add_option("-o,--output", options->output,
                  "File to write: the data set, or the model [learned.json]");
  verb.add_option("--analysis", options->analysis,
                  "Collect: analysis of the kernel, or its features")
      .check(existing_file());
  verb.add_option("--kernel", options->measured.kernel,
                  "Collect: which kernel of the analysis [its only one]");
  verb.add_option("--application", options->measured.application,
                  "Collect: the application of the kernel");
  verb.add_option("--input", options->measured.input, "Collect: the input it was measured with");
  verb.add_option("--suite", options->measured.suite, "Collect: the suite of the application");
  verb.add_option("--time", options->measured.times, "Collect: DEVICE=SECONDS, for each device")
      .one_word();
  verb.add_option("--device", options->devices, "Devices to ask about [all]").comma_separated();
  verb.add_option("--threshold", options->thresholds, "Speed-ups to ask about [1]")
      .comma_separated()
      .check(positive_number());
  verb.add_option("--best", options->best,
                  "Devices to choose the best from [all, unless --device is given]")
      .comma_separated();
  verb.add_flag("--times", options->times, "Ask about times as well");
  verb.add_option("--learner", options->learners, "Learners [all; train: forest]")
      .comma_separated()
      .check(one_of({"nnge", "svm", "forest", "neighbour"}));
  verb.add_option("--split", options->splits, "What to leave out [all but one-suite]")
      .comma_separated()
      .check(one_of({"one-run", "one-application", "two-applications", "one-suite"}));
  verb.add_option("--seed", options->seed, "Seed of the random numbers")
      .check(whole_number(0, 1 << 30))
      .shows_default();
  verb.add_option("--trees", options->trees, "Number of trees in a forest")
      .check(whole_number(1, 10000))
      .shows_default();
  verb.add_flag("--json", options->json, "Print the result as JSON");
  verb.action([options] { return run_learn(*options); });
}

}  // namespace apmt
