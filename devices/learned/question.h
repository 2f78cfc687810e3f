// What is asked of a kernel, and the lesson that a data set holds for it.
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

/// Speed-ups above each threshold of every device but the reference.
std::vector<Question> speed_up_questions(const DataHead& head,
                                         const std::vector<double>& thresholds);

/// The class of a run: 1 where the speed-up is above the threshold, or the place of the best
/// device; nothing where a time that it takes is not known.
std::optional<int> label_of(const DataSet& data, const KernelRun& run, const Question& question);

/// What learners are given of a run: logarithms where the definitions say so, rounded to 2^-24 so
/// that machines agree; nothing where a feature is not known.
std::optional<Row> learned_values(const FeatureDefinitions& definitions,
                                  const std::vector<std::optional<double>>& features);

/// The lesson, and of which run of the data each example is. Of a time, labels mean nothing.
struct AskedLesson {
  Lesson lesson;
  std::vector<std::size_t> run_of;
};
AskedLesson lesson_of(const DataSet& data, const Question& question);

/// One that leaves out whole suites has suites in place of applications.
void group_by_suite(const DataSet& data, AskedLesson* asked);

}  // namespace apmt::learned
