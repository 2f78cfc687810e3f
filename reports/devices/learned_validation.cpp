// Reports how well classifiers answer for kernels outside their training data, and which questions
// a learned model answers.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "reports/devices/learned.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

using learned::ScoreLine;

std::string split_words(const std::string& split) {
  std::string words = split;
  std::replace(words.begin(), words.end(), '-', ' ');
  return words + " left out";
}

ReportCell share_or_nothing(const std::optional<double>& value) { return {.value = value}; }

ReportCell decimals(const std::optional<double>& value, int digits) {
  if (!value) return {};
  return {.text = format_significant(*value, digits), .value = *value};
}

/// How far predicted probabilities are from the observed shares: the mean distance over bins of
/// probability, weighted by the number of predictions in each bin.
std::optional<double> miscalibration(const ScoreLine& line) {
  double sum = 0;
  int count = 0;
  for (const learned::CalibrationBin& bin : line.calibration) {
    sum += bin.count * std::abs(bin.predicted - bin.observed);
    count += bin.count;
  }
  return count ? std::optional(sum / count) : std::nullopt;
}

ReportTable class_table(const std::string& split, const std::vector<const ScoreLine*>& lines) {
  ReportTable table{.id = "classes-" + split};
  table.columns = {{.id = "question", .title = "question", .is_code = true},
                   {.id = "method", .title = "method"},
                   {.id = "runs", .title = "runs", .quantity = Quantity::kCount},
                   {.id = "accuracy", .title = "right", .quantity = Quantity::kShare},
                   {.id = "interval", .title = "95 % interval"},
                   {.id = "majority", .title = "majority", .quantity = Quantity::kShare},
                   {.id = "slow_down", .title = "slow-down"},
                   {.id = "brier", .title = "Brier"},
                   {.id = "base_brier", .title = "base rate's"},
                   {.id = "miscalibration", .title = "calibration", .quantity = Quantity::kShare},
                   {.id = "unknown", .title = "note"}};
  for (const ScoreLine* line : lines) {
    const std::string interval = line->accuracy ? format_share(line->interval.low) + " to " +
                                                      format_share(line->interval.high)
                                                : "";
    table.rows.push_back({.cells = {{.text = line->question},
                                    {.text = line->method},
                                    {.value = line->runs},
                                    share_or_nothing(line->accuracy),
                                    {.text = interval},
                                    share_or_nothing(line->majority),
                                    decimals(line->slow_down, 3),
                                    decimals(line->brier, 3),
                                    decimals(line->base_brier, 3),
                                    share_or_nothing(miscalibration(*line)),
                                    {.text = line->unknown}}});
  }
  return table;
}

ReportTable time_table(const std::string& split, const std::vector<const ScoreLine*>& lines) {
  ReportTable table{.id = "times-" + split, .caption = "Errors of times, relative to the measured"};
  table.columns = {{.id = "question", .title = "question", .is_code = true},
                   {.id = "method", .title = "method"},
                   {.id = "runs", .title = "runs", .quantity = Quantity::kCount},
                   {.id = "mean_error", .title = "mean", .quantity = Quantity::kShare},
                   {.id = "median_error", .title = "median", .quantity = Quantity::kShare},
                   {.id = "unknown", .title = "note"}};
  for (const ScoreLine* line : lines)
    table.rows.push_back({.cells = {{.text = line->question},
                                    {.text = line->method},
                                    {.value = line->runs},
                                    share_or_nothing(line->mean_error),
                                    share_or_nothing(line->median_error),
                                    {.text = line->unknown}}});
  return table;
}

bool is_of_time(const ScoreLine& line) { return line.question.starts_with("time on "); }

bool is_learner(const ScoreLine& line) {
  return std::find(std::begin(learned::kLearnerNames), std::end(learned::kLearnerNames),
                   line.method) != std::end(learned::kLearnerNames);
}

/// Questions without scores, by reason. Questions about times are left out, because a method that
/// predicts no times needs no warning.
std::map<std::string, std::set<std::string>> without_figures(const std::vector<ScoreLine>& lines,
                                                             const std::string& split) {
  std::map<std::string, std::set<std::string>> questions;
  for (const ScoreLine& line : lines)
    if (line.split == split && !line.unknown.empty() && !is_of_time(line))
      questions[line.unknown].insert(line.question);
  return questions;
}

std::string headline_of(const std::vector<ScoreLine>& lines) {
  int answered = 0;
  int all = 0;
  int above = 0;
  for (const ScoreLine& line : lines) {
    if (line.split != "one-application" || !is_learner(line) || !line.accuracy) continue;
    ++all;
    answered += line.is_worth_saying();
    above += line.interval.low > *line.majority;
  }
  if (all == 0) return "No question was validated with one application left out.";
  return "With one application left out, probabilities are better than the base rate for " +
         std::to_string(answered) + " of " + plural(all, "pair", "pairs") +
         " of question and learner; for " + std::to_string(above) +
         ", answers are right clearly more often than the most frequent one.";
}

}  // namespace

Report make_learned_validation_report(const std::string& title,
                                      const std::vector<ScoreLine>& lines) {
  Report report;
  report.title = title;
  report.headline = headline_of(lines);
  report.reasons = {
      "Features, parameters and calibration are chosen from the training data alone.",
      "Right: the share of correct answers. Slow-down: time on the predicted device over time on "
      "the best one (geometric mean, applications weighted alike). Calibration: mean distance of "
      "probabilities from the observed shares."};
  std::vector<std::string> splits;
  for (const ScoreLine& line : lines)
    if (std::find(splits.begin(), splits.end(), line.split) == splits.end())
      splits.push_back(line.split);
  for (const std::string& split : splits) {
    std::vector<const ScoreLine*> classes;
    std::vector<const ScoreLine*> times;
    int leaks = 0;
    for (const ScoreLine& line : lines)
      if (line.split == split) {
        (is_of_time(line) ? times : classes).push_back(&line);
        leaks = std::max(leaks, line.leaks);
      }
    ReportSection section{.id = split, .title = split_words(split)};
    section.title[0] = static_cast<char>(section.title[0] - 'a' + 'A');
    if (!classes.empty()) section.tables.push_back(class_table(split, classes));
    if (!times.empty()) section.tables.push_back(time_table(split, times));
    report.sections.push_back(std::move(section));
    for (const auto& [reason, questions] : without_figures(lines, split))
      report.warnings.push_back("With " + split_words(split) + ", no figures for " +
                                join_list({questions.begin(), questions.end()}) + ": " + reason +
                                ".");
    if (leaks > 0)
      report.warnings.push_back(
          "With " + split_words(split) + ", " + plural(leaks, "run has", "runs have") +
          " the features of a run that was learned from: these figures are too good.");
  }
  return report;
}

Report make_learned_model_report(const learned::LearnedModel& model) {
  Report report;
  report.title = "Learned from " + model.data.head.title;
  int answered = 0;
  ReportTable table{.id = "questions"};
  table.columns = {{.id = "question", .title = "question", .is_code = true},
                   {.id = "brier", .title = "Brier"},
                   {.id = "base_brier", .title = "base rate's"},
                   {.id = "answered", .title = "answered"}};
  for (const learned::LearnedQuestion& each : model.questions) {
    answered += each.is_answered();
    table.rows.push_back({.cells = {{.text = title_of(each.question)},
                                    decimals(each.brier, 3),
                                    decimals(each.base_brier, 3),
                                    {.text = each.is_answered()     ? "yes"
                                             : each.unknown.empty() ? "no"
                                                                    : "no: " + each.unknown}}});
  }
  report.headline =
      "The " + to_string(model.learner) + " answers " + std::to_string(answered) + " of " +
      std::to_string(model.questions.size()) +
      " questions better than the base rate does for an application that it was not "
      "learned from" +
      (answered < static_cast<int>(model.questions.size()) ? "; it abstains from the others."
                                                           : ".");
  report.sections.push_back({.id = "questions",
                             .title = "With one application left out",
                             .sentences = {},
                             .tables = {std::move(table)}});
  return report;
}

}  // namespace apmt
