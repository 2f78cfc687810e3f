// Lessons whose rule is known.
#pragma once

#include <string>

#include "devices/learned/learner.h"
#include "devices/learned/random.h"

namespace apmt::learned {

/// The class is whether the first feature is above 0.5, changed for a share `noise` of the
/// examples; the other features say nothing. Ten groups.
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

}  // namespace apmt::learned
