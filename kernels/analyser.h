// The interface of an analyser, which computes results from the events of a run. Virtual calls are
// made once per span of events, not per event.
#pragma once

#include <span>

#include "kernels/events.h"

namespace apmt::kernels {

struct Analysis;

class Analyser {
 public:
  virtual ~Analyser() = default;
  /// Called before the first event, and again whenever a module was appended. The program outlives
  /// the analyser and does not change while consume() runs.
  virtual void begin(const Program& program) = 0;
  /// The next events of a thread; threads are numbered from 0.
  virtual void consume(unsigned thread, std::span<const Word> words) = 0;
  /// Adds the results to `analysis`. No event follows.
  virtual void finish(Analysis* analysis) = 0;
};

}  // namespace apmt::kernels
