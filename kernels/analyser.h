// The interface of an analyser. The only virtual calls are per span of events.
#pragma once

#include <span>

#include "kernels/events.h"

namespace apmt::kernels {

struct Analysis;

class Analyser {
 public:
  virtual ~Analyser() = default;
  /// Before the first event, and again whenever a module was appended. The program outlives the
  /// analyser and does not change while consume() runs.
  virtual void begin(const Program& program) = 0;
  /// The next events of a thread; threads are numbered from 0.
  virtual void consume(unsigned thread, std::span<const Word> words) = 0;
  /// Adds what was found. No event comes after it.
  virtual void finish(Analysis* analysis) = 0;
};

}  // namespace apmt::kernels
