#include "devices/learned/validation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

#include "base/input_error.h"
#include "devices/learned/baselines.h"
#include "devices/learned/forest_bank.h"
#include "devices/learned/time_scores.h"

namespace apmt::learned {
namespace {

/// One prediction for one example. If pairs of applications are left out, each example has ten
/// predictions.
struct Told {
  std::size_t example = 0;
  int chosen = 0;
  Row shares;         // share of each class in the training data
  Row probabilities;  // empty if the method has none
};

struct Job {
  const Question* question;
  Split split;
  std::optional<LearnerKind> learner;
  Baseline baseline = Baseline::kMajority;
};

std::string method_of(const Job& job) {
  return job.learner ? to_string(*job.learner) : kBaselineNames[static_cast<int>(job.baseline)];
}

bool is_one_class(const Lesson& lesson, const std::vector<std::size_t>& rows) {
  std::set<int> classes;
  for (const std::size_t i : rows) classes.insert(lesson.labels[i]);
  return classes.size() < 2;
}

/// Predicts the examples of a fold by training on all others. If the others have only one class,
/// that class is predicted.
void tell_fold(const DataSet& data, const AskedLesson& asked, const Job& job, const Fold& fold,
               const TrainOptions& options, std::vector<Told>* told) {
  const Lesson& lesson = asked.lesson;
  const std::vector<std::size_t> taught = others(fold, lesson.size());
  const Row shares = class_shares(lesson, taught);
  if (job.learner && !is_one_class(lesson, taught)) {
    TrainOptions with = options;
    with.kind = *job.learner;
    const Trained trained = train(lesson.part(taught, all_features(lesson)), with);
    for (const std::size_t i : fold) {
      const Answer answer = trained.answer(lesson.x[i]);
      told->push_back({i, answer.chosen, shares, trained.probabilities(answer)});
    }
    return;
  }
  const std::optional<int> said =
      job.learner ? largest(shares)
                  : baseline_class(data, asked, taught, *job.question, job.baseline);
  if (!said) throw InputError("", "a bandwidth is not known", {}, ExitCode::kNotEnoughData);
  const bool has_shares = job.learner || job.baseline == Baseline::kMajority;
  for (const std::size_t i : fold) told->push_back({i, *said, shares, has_shares ? shares : Row{}});
}

double brier_of(const Row& p, int label) {
  if (p.size() == 2) return (p[1] - label) * (p[1] - label);
  double sum = 0;
  for (std::size_t c = 0; c < p.size(); ++c) {
    const double miss = p[c] - (static_cast<int>(c) == label);
    sum += miss * miss;
  }
  return sum;
}

/// The time on the predicted device, relative to the time on the best device of the question.
/// Nothing for a speed-up with a threshold other than 1, because the answer does not choose a
/// device.
std::optional<double> slow_down_of(const DataSet& data, const KernelRun& run,
                                   const Question& question, int chosen) {
  std::vector<std::string> devices = question.devices;
  if (question.kind == Question::Kind::kSpeedUp) {
    if (question.threshold != 1) return std::nullopt;
    devices = {data.head.reference, question.device};
  }
  double best = *run.times_s[data.device_index(devices.front())];
  for (const std::string& device : devices)
    best = std::min(best, *run.times_s[data.device_index(device)]);
  return *run.times_s[data.device_index(devices[static_cast<std::size_t>(chosen)])] / best;
}

void score(const DataSet& data, const AskedLesson& asked, const Question& question,
           const std::vector<Told>& told, ScoreLine* line) {
  const Lesson& lesson = asked.lesson;
  const double count = static_cast<double>(told.size());
  double right = 0;
  double majority = 0;
  double brier = 0;
  double base = 0;
  bool has_probabilities = true;
  Row logs;
  std::vector<std::string> groups;
  Row predicted;
  std::vector<bool> happened;
  for (const Told& each : told) {
    const int label = lesson.labels[each.example];
    const KernelRun& run = data.runs[asked.run_of[each.example]];
    right += each.chosen == label;
    majority += largest(each.shares) == label;
    base += brier_of(each.shares, label);
    if (const auto slow = slow_down_of(data, run, question, each.chosen)) {
      logs.push_back(std::log(*slow));
      groups.push_back(run.application);
    }
    has_probabilities = has_probabilities && !each.probabilities.empty();
    if (!has_probabilities) continue;
    brier += brier_of(each.probabilities, label);
    predicted.push_back(each.probabilities[1]);
    happened.push_back(label == 1);
  }
  line->accuracy = right / count;
  line->interval = binomial_interval(right / count, static_cast<double>(lesson.size()));
  line->majority = majority / count;
  line->base_brier = base / count;
  if (!logs.empty()) line->slow_down = std::exp(mean_of_groups(logs, groups));
  if (!has_probabilities) return;
  line->brier = brier / count;
  if (question.kind == Question::Kind::kSpeedUp)
    line->calibration = calibration_of(predicted, happened);
}

int leaks_of(const Lesson& lesson, const std::vector<Fold>& folds) {
  std::set<std::size_t> leaks;
  for (const Fold& fold : folds) {
    std::set<Row> known;
    for (const std::size_t i : others(fold, lesson.size())) known.insert(lesson.x[i]);
    for (const std::size_t i : fold)
      if (known.count(lesson.x[i])) leaks.insert(i);
  }
  return static_cast<int>(leaks.size());
}

ScoreLine line_of(const DataSet& data, const Job& job, const ValidationOptions& options,
                  ForestBank* bank) {
  ScoreLine line;
  line.question = title_of(*job.question);
  line.split = to_string(job.split);
  line.method = method_of(job);
  try {
    AskedLesson asked = lesson_of(data, *job.question);
    if (job.split == Split::kOneSuite) group_by_suite(data, &asked);
    const std::vector<Fold> folds = folds_of(job.split, asked.lesson.groups, options.seed);
    line.runs = static_cast<int>(asked.lesson.size());
    line.groups = static_cast<int>(
        std::set<std::string>(asked.lesson.groups.begin(), asked.lesson.groups.end()).size());
    line.leaks = leaks_of(asked.lesson, folds);
    if (job.question->kind == Question::Kind::kTime) {
      const TimeErrors errors =
          time_errors(data, asked, *job.question, folds,
                      {job.learner, job.baseline, options.seed, options.trees});
      line.mean_error = errors.mean;
      line.median_error = errors.median;
      return line;
    }
    std::vector<std::size_t> all = others({}, asked.lesson.size());
    if (is_one_class(asked.lesson, all))
      throw InputError("", "all runs are of one class", {}, ExitCode::kNotEnoughData);
    std::vector<Told> told;
    const TrainOptions with{.kind = {}, .seed = options.seed, .trees = options.trees, .bank = bank};
    for (const Fold& fold : folds) tell_fold(data, asked, job, fold, with, &told);
    score(data, asked, *job.question, told, &line);
  } catch (const InputError& error) {
    if (error.code() != ExitCode::kNotEnoughData) throw;
    line.unknown = error.what();
  }
  return line;
}

std::vector<Job> jobs_of(const std::vector<Question>& questions, const ValidationOptions& options) {
  std::vector<Job> jobs;
  for (const Split split : options.splits)
    for (const Question& question : questions) {
      for (const LearnerKind learner : options.learners)
        jobs.push_back({&question, split, learner});
      for (const Baseline baseline :
           {Baseline::kMajority, Baseline::kBestOnAverage, Baseline::kBandwidth})
        if (options.baselines) jobs.push_back({&question, split, std::nullopt, baseline});
    }
  return jobs;
}

}  // namespace

std::vector<ScoreLine> validate(const DataSet& data, const std::vector<Question>& questions,
                                const ValidationOptions& options) {
  const std::vector<Job> jobs = jobs_of(questions, options);
  std::vector<ScoreLine> lines(jobs.size());
  std::vector<std::exception_ptr> failures(jobs.size());
  ForestBank bank;
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;
  std::mutex telling;
  const auto work = [&] {
    for (std::size_t j = next++; j < jobs.size(); j = next++) {
      try {
        lines[j] = line_of(data, jobs[j], options, &bank);
      } catch (...) {
        failures[j] = std::current_exception();
      }
      const std::lock_guard lock(telling);
      ++done;
      if (options.on_progress) options.on_progress(done, jobs.size());
    }
  };
  std::vector<std::thread> threads;
  const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned t = 0; t < std::min<std::size_t>(cores, jobs.size()); ++t)
    threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return lines;
}

Json to_json(const std::vector<ScoreLine>& lines) {
  Json json = Json::array();
  for (const ScoreLine& line : lines) {
    Json bins = Json::array();
    for (const CalibrationBin& bin : line.calibration)
      bins.push_back(
          {{"runs", bin.count}, {"predicted", bin.predicted}, {"observed", bin.observed}});
    json.push_back({{"question", line.question},
                    {"split", line.split},
                    {"method", line.method},
                    {"unknown", line.unknown.empty() ? Json() : Json(line.unknown)},
                    {"runs", line.runs},
                    {"groups", line.groups},
                    {"leaks", line.leaks},
                    {"accuracy", json_or_null(line.accuracy)},
                    {"accuracy_low", line.accuracy ? Json(line.interval.low) : Json()},
                    {"accuracy_high", line.accuracy ? Json(line.interval.high) : Json()},
                    {"majority_accuracy", json_or_null(line.majority)},
                    {"slow_down", json_or_null(line.slow_down)},
                    {"brier", json_or_null(line.brier)},
                    {"base_brier", json_or_null(line.base_brier)},
                    {"calibration", bins},
                    {"mean_error", json_or_null(line.mean_error)},
                    {"median_error", json_or_null(line.median_error)}});
  }
  return json;
}

}  // namespace apmt::learned
