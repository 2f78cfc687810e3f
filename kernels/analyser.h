// The interface of an analyser, which computes results from the events of a run. It receives events
// in spans, so that there is one virtual call for each span, not for each event.
#pragma once

#include <span>

#include "kernels/events.h"

namespace apmt::kernels {

struct Analysis;

class Analyser {
 public:
  virtual ~Analyser() = default;
  /// Called before the first event, and again after a module was appended to the program. The
  /// program outlives the analyser and does not change while consume() runs.
  virtual void begin(const Program& program) = 0;
  /// Receives the next events of a thread; threads are numbered from 0.
  virtual void consume(unsigned thread, std::span<const Word> words) = 0;
  /// Adds the results to `analysis`. No event follows.
  virtual void finish(Analysis* analysis) = 0;
};

}  // namespace apmt::kernels
