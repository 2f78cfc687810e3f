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
  std::string device = {};                // of a speed-up over the reference, or a time
  double threshold = 1;                   // a speed-up above this
  std::vector<std::string> devices = {};  // of which one is best
};

/// "gtx1080 > 2", "best of i7-6700k, gtx1080, titanx", "time on gtx1080"
std::string title_of(const Question& question);

/// Questions for the speed-up above each threshold, for every device but the reference.
std::vector<Question> speed_up_questions(const DataHead& head,
                                         const std::vector<double>& thresholds);

/// The class of a run: 1 if the speed-up is above the threshold, or the index of the best device;
/// nothing if a time that it needs is not known.
std::optional<int> label_of(const DataSet& data, const KernelRun& run, const Question& question);

/// The features of a run as learners use them: logarithms where the definitions say so, rounded to
/// 2^-24 so that machines agree; nothing if the value of a feature is missing.
std::optional<Row> learned_values(const FeatureDefinitions& definitions,
                                  const std::vector<std::optional<double>>& features);

/// The training data, and the run of each example. For a question about a time, labels have no
/// meaning.
struct AskedLesson {
  Lesson lesson;
  std::vector<std::size_t> run_of;
};
AskedLesson lesson_of(const DataSet& data, const Question& question);

/// To leave out whole suites, the groups become suites instead of applications.
void group_by_suite(const DataSet& data, AskedLesson* asked);

}  // namespace apmt::learned
