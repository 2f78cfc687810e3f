#include "devices/learned/time_scores.h"

#include <algorithm>
#include <cmath>

#include "base/input_error.h"
#include "devices/learned/forest.h"
#include "devices/learned/neighbour.h"

namespace apmt::learned {
namespace {

InputError no_times(const std::string& why) { return {"", why, {}, ExitCode::kNotEnoughData}; }

std::unique_ptr<Classifier> time_learner(const Lesson& lesson, const TimeMethod& method) {
  if (*method.learner == LearnerKind::kNeighbour) return std::make_unique<Neighbour>(lesson);
  if (*method.learner == LearnerKind::kForest)
    return std::make_unique<Forest>(lesson,
                                    ForestOptions{.trees = method.trees, .seed = method.seed});
  throw no_times("predicts classes, not times");
}

/// log2 of the time that a learner predicts for an example.
double log_by_learner(const Classifier& learner, const Lesson& taught, const Row& x) {
  const Row weights = learner.weights(x);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) sum += weights[i] * taught.targets[i][0];
  return sum;
}

double log_by_baseline(const DataSet& data, const Lesson& taught, const KernelRun& run,
                       const Question& question, Baseline baseline) {
  if (baseline == Baseline::kBestOnAverage) throw no_times("chooses devices and predicts no times");
  if (baseline == Baseline::kMajority) {
    double sum = 0;
    for (const Row& target : taught.targets) sum += target[0];
    return sum / static_cast<double>(taught.size());
  }
  const auto bandwidth = [&](std::size_t d) { return data.head.devices[d].bandwidth_bytes_per_s; };
  const auto here = bandwidth(data.device_index(question.device));
  const auto reference = bandwidth(data.reference_index());
  const auto& time_s = run.times_s[data.reference_index()];
  if (!here || !reference || !time_s) throw no_times("a bandwidth or a time is not known");
  return std::log2(*time_s * *reference / *here);
}

}  // namespace

TimeErrors time_errors(const DataSet& data, const AskedLesson& asked, const Question& question,
                       const std::vector<Fold>& folds, const TimeMethod& method) {
  Row errors;
  for (const Fold& fold : folds) {
    const Lesson taught =
        asked.lesson.part(others(fold, asked.lesson.size()), all_features(asked.lesson));
    const auto learner = method.learner ? time_learner(taught, method) : nullptr;
    for (const std::size_t i : fold) {
      const double said = learner ? log_by_learner(*learner, taught, asked.lesson.x[i])
                                  : log_by_baseline(data, taught, data.runs[asked.run_of[i]],
                                                    question, method.baseline);
      errors.push_back(std::abs(std::exp2(said - asked.lesson.targets[i][0]) - 1));
    }
  }
  std::sort(errors.begin(), errors.end());
  double sum = 0;
  for (const double error : errors) sum += error;
  const std::size_t half = errors.size() / 2;
  return {sum / static_cast<double>(errors.size()),
          errors.size() % 2 ? errors[half] : 0.5 * (errors[half - 1] + errors[half])};
}

}  // namespace apmt::learned
