// Training data that follow a known rule, for tests.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "devices/learned/data_set.h"
#include "devices/learned/learner.h"
#include "devices/learned/random.h"
#include "devices/learned/svm.h"

namespace apmt::learned {

/// The class says whether the first feature is above 0.5, but is inverted for a share `noise` of
/// the examples. The other features are irrelevant. There are ten groups.
inline Lesson planted_lesson(std::uint64_t seed, std::size_t size, std::size_t features,
                             double noise) {
  Random random(seed);
  Lesson lesson;
  for (std::size_t i = 0; i < size; ++i) {
    Row x;
    for (std::size_t f = 0; f < features; ++f) x.push_back(random.uniform());
    const bool is_above = (x[0] > 0.5) != (random.uniform() < noise);
    lesson.labels.push_back(is_above);
    lesson.targets.push_back({is_above ? 1 + random.uniform() : -1 - random.uniform()});
    lesson.x.push_back(std::move(x));
    lesson.groups.push_back("group " + std::to_string(i % 10));
  }
  return lesson;
}

/// The learners of this build: svm needs libsvm.
inline std::vector<LearnerKind> kinds_here() {
  std::vector<LearnerKind> kinds = {LearnerKind::kNnge, LearnerKind::kForest,
                                    LearnerKind::kNeighbour};
  if (has_svm()) kinds.push_back(LearnerKind::kSvm);
  return kinds;
}

/// Suites of ten applications with eight kernels each. The logarithm of the speed-up on "gpu" grows
/// with the first of five features, with noise. In the last suite, `shift` is added to every
/// feature.
inline DataSet planted_data(std::uint64_t seed, int suites, double shift = 0) {
  Random random(seed);
  const auto normal = [&] {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += random.uniform();
    return sum;
  };
  DataSet data;
  data.head = {.title = "planted",
               .source = "a test",
               .licence = "MIT",
               .notice = "",
               .reference = "cpu",
               .definitions = {.name = "planted", .version = "1", .features = {}},
               .devices = {{"cpu", "cpu", 20e9}, {"gpu", "gpu", 200e9}}};
  for (int f = 0; f < 5; ++f)
    data.head.definitions.features.push_back({"f" + std::to_string(f), {}});
  for (int suite = 0; suite < suites; ++suite)
    for (int application = 0; application < 10; ++application)
      for (int kernel = 0; kernel < 8; ++kernel) {
        KernelRun run{.application = std::to_string(suite) + "." + std::to_string(application),
                      .kernel = std::to_string(kernel),
                      .input = "",
                      .suite = "suite " + std::to_string(suite),
                      .features = {},
                      .times_s = {}};
        for (int f = 0; f < 5; ++f)
          run.features.emplace_back(normal() + (suite + 1 == suites ? shift : 0));
        const double log_speed_up = *run.features[0] + 0.7 * normal();
        run.times_s = {1, std::exp(-log_speed_up)};
        data.runs.push_back(std::move(run));
      }
  return data;
}

}  // namespace apmt::learned
