// Makes the chosen analysers, in the order in which they must finish.
#pragma once

#include <memory>
#include <vector>

#include "kernels/analyser.h"

namespace apmt::kernels {

struct AnalyserChoice {
  bool mix = true;
  bool floating_point = true;  // the schedules of asap.h
  bool all_operations = true;
  bool synchronisation = true;
  bool aiwc = true;
  bool aiwc_compatible = false;
  bool footprint = true;
  bool stack_distance = false;  // exact
  bool sampled_stack_distance = true;
  unsigned stack_sample_log2 = 7;  // one line in 128
};

/// Whether an analyser is chosen that need not follow every invocation.
bool may_skip(const AnalyserChoice& choice);
/// Whether the analysers only need to know how often each block of a kernel was executed: in a
/// skipped invocation if `is_skipped`, otherwise in a followed one.
bool need_only_counts(const AnalyserChoice& choice, bool is_skipped);

std::vector<std::unique_ptr<Analyser>> make_analysers(const AnalyserChoice& choice);

}  // namespace apmt::kernels
