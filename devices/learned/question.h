// A question about a kernel, and the training data for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "devices/learned/data_set.h"
#include "devices/learned/learner.h"

namespace apmt::learned {

struct Question {
  enum class Kind { kSpeedUp, kBest, kTime };
  Kind kind = Kind::kSpeedUp;
  std::string device = {};                // whose speed-up or time is asked for
  double threshold = 1;                   // for speed-ups: "is it above this?"
  std::vector<std::string> devices = {};  // for kBest: the devices to choose from
};

/// "gtx1080 > 2", "best of i7-6700k, gtx1080, titanx", "time on gtx1080"
std::string title_of(const Question& question);

/// The questions "is the speed-up above t?", for every threshold and every device but the
/// reference.
std::vector<Question> speed_up_questions(const DataHead& head,
                                         const std::vector<double>& thresholds);

/// The class of a run. For a question about a speed-up: 1 if it is above the threshold, else 0. For
/// the question which device is best: its index in Question::devices. Nothing if a time is missing.
std::optional<int> label_of(const DataSet& data, const KernelRun& run, const Question& question);

/// The features of a run as learners use them: logarithms where the definitions say so, rounded to
/// multiples of 2^-24 so that all machines agree. Nothing if a feature has no value.
std::optional<Row> learned_values(const FeatureDefinitions& definitions,
                                  const std::vector<std::optional<double>>& features);

/// The training data for a question, and the run that each example comes from. If the question is
/// about a time, the labels are meaningless.
struct AskedLesson {
  Lesson lesson;
  std::vector<std::size_t> run_of;
};
AskedLesson lesson_of(const DataSet& data, const Question& question);

/// Groups the examples by suite instead of by application, so that a validation leaves out whole
/// suites.
void group_by_suite(const DataSet& data, AskedLesson* asked);

}  // namespace apmt::learned
