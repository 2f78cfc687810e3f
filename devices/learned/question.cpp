#include "devices/learned/question.h"

#include <cmath>
#include <limits>

#include "base/input_error.h"
#include "devices/learned/csv.h"

namespace apmt::learned {
namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();

double log_time(const std::optional<double>& time_s) {
  return time_s ? as_on_any_machine(std::log2(*time_s)) : kNotKnown;
}

/// The logarithms of the times relative to the time on the reference device. If the question asks
/// for a time: only the logarithm of this time.
Row targets_of(const DataSet& data, const KernelRun& run, const Question& question) {
  if (question.kind == Question::Kind::kTime)
    return {log_time(run.times_s[data.device_index(question.device)])};
  Row targets;
  const double reference = log_time(run.times_s[data.reference_index()]);
  for (std::size_t d = 0; d < run.times_s.size(); ++d)
    if (d != data.reference_index()) targets.push_back(log_time(run.times_s[d]) - reference);
  return targets;
}

}  // namespace

std::string title_of(const Question& question) {
  switch (question.kind) {
    case Question::Kind::kSpeedUp:
      return question.device + " > " + csv_number(question.threshold);
    case Question::Kind::kTime:
      return "time on " + question.device;
    case Question::Kind::kBest:
      break;
  }
  std::string devices;
  for (const std::string& device : question.devices)
    devices += (devices.empty() ? "" : ", ") + device;
  return "best of " + devices;
}

std::vector<Question> speed_up_questions(const DataHead& head,
                                         const std::vector<double>& thresholds) {
  std::vector<Question> questions;
  for (const KnownDevice& device : head.devices)
    for (const double threshold : thresholds)
      if (device.name != head.reference)
        questions.push_back({.device = device.name, .threshold = threshold});
  return questions;
}

std::optional<int> label_of(const DataSet& data, const KernelRun& run, const Question& question) {
  if (question.kind == Question::Kind::kBest) {
    int best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < question.devices.size(); ++i) {
      const auto& time_s = run.times_s[data.device_index(question.devices[i])];
      if (!time_s) return std::nullopt;
      if (*time_s >= least) continue;
      least = *time_s;
      best = static_cast<int>(i);
    }
    return best;
  }
  const auto& time_s = run.times_s[data.device_index(question.device)];
  if (!time_s) return std::nullopt;
  if (question.kind == Question::Kind::kTime) return 0;
  const auto& reference_s = run.times_s[data.reference_index()];
  if (!reference_s) return std::nullopt;
  return *reference_s / *time_s > question.threshold ? 1 : 0;
}

std::optional<Row> learned_values(const FeatureDefinitions& definitions,
                                  const std::vector<std::optional<double>>& features) {
  Row row;
  for (std::size_t f = 0; f < features.size(); ++f) {
    if (!features[f]) return std::nullopt;
    const std::optional<double>& floor = definitions.features[f].log_floor;
    row.push_back(
        as_on_any_machine(floor ? std::log2(std::max(*features[f], *floor)) : *features[f]));
  }
  return row;
}

AskedLesson lesson_of(const DataSet& data, const Question& question) {
  AskedLesson asked;
  if (question.kind == Question::Kind::kBest)
    asked.lesson.classes = static_cast<int>(question.devices.size());
  for (std::size_t r = 0; r < data.runs.size(); ++r) {
    const KernelRun& run = data.runs[r];
    const std::optional<int> label = label_of(data, run, question);
    std::optional<Row> x = learned_values(data.head.definitions, run.features);
    if (!label || !x) continue;
    asked.lesson.x.push_back(std::move(*x));
    asked.lesson.labels.push_back(*label);
    asked.lesson.targets.push_back(targets_of(data, run, question));
    asked.lesson.groups.push_back(run.application);
    asked.run_of.push_back(r);
  }
  if (asked.lesson.size() < 2)
    throw InputError(title_of(question), "fewer than two runs have features and times for it", {},
                     ExitCode::kNotEnoughData);
  return asked;
}

void group_by_suite(const DataSet& data, AskedLesson* asked) {
  for (std::size_t i = 0; i < asked->run_of.size(); ++i)
    asked->lesson.groups[i] = data.runs[asked->run_of[i]].suite;
}

}  // namespace apmt::learned
