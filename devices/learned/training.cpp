#include "devices/learned/training.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "devices/learned/nnge.h"
#include "devices/learned/random.h"
#include "devices/learned/splits.h"

namespace apmt::learned {
namespace {

constexpr std::size_t kInnerFolds = 10;
constexpr std::size_t kMostFeatures = 16;  // the most features to choose
constexpr std::size_t kMostTried = 500;    // most examples to choose features, tune and calibrate
constexpr double kGammas[] = {0.03125, 0.125, 0.5, 2, 8};

bool is_one_class(const Lesson& lesson) {
  return std::set<int>(lesson.labels.begin(), lesson.labels.end()).size() < 2;
}

/// Cross-validation: predicts each example of the lesson with a classifier that was trained without
/// the example's group.
std::vector<Answer> answers_unseen(const Lesson& lesson, const LearnerOptions& options) {
  std::vector<Answer> answers(lesson.size());
  const std::vector<std::size_t> features = all_features(lesson);
  for (const Fold& fold : group_folds(lesson.groups, kInnerFolds)) {
    const Lesson taught = lesson.part(others(fold, lesson.size()), features);
    if (is_one_class(taught)) {
      for (const std::size_t i : fold) {
        answers[i].chosen = taught.labels.empty() ? 0 : taught.labels.front();
        answers[i].margins.assign(static_cast<std::size_t>(lesson.classes), 0);
      }
      continue;
    }
    const auto classifier = learn(taught, options);
    for (const std::size_t i : fold) answers[i] = classifier->answer(lesson.x[i]);
  }
  return answers;
}

int right_unseen(const Lesson& lesson, const LearnerOptions& options) {
  const std::vector<Answer> answers = answers_unseen(lesson, options);
  int right = 0;
  for (std::size_t i = 0; i < answers.size(); ++i) right += answers[i].chosen == lesson.labels[i];
  return right;
}

/// All examples if they are few, otherwise a random selection.
std::vector<std::size_t> some_examples(const Lesson& lesson, std::uint64_t seed) {
  std::vector<std::size_t> rows(lesson.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  if (rows.size() <= kMostTried) return rows;
  Random random(seed);
  random.shuffle(&rows);
  rows.resize(kMostTried);
  std::sort(rows.begin(), rows.end());
  return rows;
}

/// The first features in order of mutual information, as many as predict best; of equally good
/// numbers, the smallest.
std::vector<std::size_t> chosen_features(const Lesson& lesson, const std::vector<std::size_t>& rows,
                                         const LearnerOptions& options) {
  const Row weights = mutual_information(lesson.x, lesson.labels, lesson.classes);
  std::vector<std::size_t> order = all_features(lesson);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
  std::size_t best = 1;
  int most = -1;
  for (std::size_t count = 1; count <= std::min(order.size(), kMostFeatures); ++count) {
    const std::vector<std::size_t> tried(order.begin(),
                                         order.begin() + static_cast<std::ptrdiff_t>(count));
    const int right = right_unseen(lesson.part(rows, tried), options);
    if (right <= most) continue;
    most = right;
    best = count;
  }
  order.resize(best);
  return order;
}

double tuned_gamma(const Lesson& lesson, LearnerOptions options) {
  double best = 0;
  int most = -1;
  for (const double gamma : kGammas) {
    options.gamma = gamma;
    const int right = right_unseen(lesson, options);
    if (right <= most) continue;
    most = right;
    best = gamma;
  }
  return best;
}

std::vector<Sigmoid> calibrated(const Lesson& lesson, const LearnerOptions& options) {
  const std::vector<Answer> answers = answers_unseen(lesson, options);
  std::vector<Sigmoid> calibration;
  for (int c = 0; c < lesson.classes; ++c) {
    Row margins;
    std::vector<bool> is_class;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      margins.push_back(answers[i].margins[static_cast<std::size_t>(c)]);
      is_class.push_back(lesson.labels[i] == c);
    }
    calibration.push_back(fit_sigmoid(margins, is_class));
  }
  return calibration;
}

}  // namespace

Answer Trained::answer(const Row& x) const { return classifier->answer(selected(x, features)); }

Row Trained::probabilities(const Answer& answer) const {
  return learned::probabilities(answer.margins, calibration);
}

Trained train(const Lesson& lesson, const TrainOptions& options) {
  LearnerOptions learner{.kind = options.kind,
                         .seed = options.seed,
                         .gamma = 0,
                         .trees = options.trees,
                         .bank = options.bank};
  Trained trained;
  trained.features = all_features(lesson);
  const std::vector<std::size_t> rows = some_examples(lesson, options.seed);
  const bool is_searched = options.kind != LearnerKind::kForest && !is_one_class(lesson);
  if (is_searched) trained.features = chosen_features(lesson, rows, learner);
  const Lesson some = lesson.part(rows, trained.features);
  if (is_searched && options.kind == LearnerKind::kSvm) learner.gamma = tuned_gamma(some, learner);
  std::vector<std::size_t> all(lesson.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  trained.classifier = learn(lesson.part(all, trained.features), learner);
  trained.calibration = calibrated(some, learner);
  return trained;
}

}  // namespace apmt::learned
