// Separates a kernel's CPI_core (its cycles per instruction without waiting for memory) from the
// cycles in which it waits for memory. It fits the line CPI = CPI_core + BF_mem * (memory cycles
// per instruction) to runs of the kernel in which memory costs different numbers of core cycles.
//
// Only memory beyond the core's clock counts (a shared cache, main memory): its time is constant in
// ns, so its cycles grow with the core frequency f, while those of the first and second caches do
// not. Equation (6) of the APMT paper (Ding et al.) calls the gradient CPI_core by mistake. The
// paper's text is right: the intercept is CPI_core, and the gradient is the blocking factor.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fitter/model/model.h"

namespace apmt {

/// The measured core frequency of a run: cycles per second in which the core was not halted.
struct RunFrequency {
  double hz = 0;
  double spread = 0;  // relative deviation between ranks, or between threads if larger
  /// Of these ranks or threads; 0: not known.
  std::string slowest = {};  // "rank 3", "a thread of rank 3"
  double lowest_hz = 0;
  std::string fastest = {};
  double highest_hz = 0;
};

/// One kernel in one run. Sigmas are relative standard deviations.
struct CpiObservation {
  int procs = 0;
  std::map<std::string, double> params;
  RunFrequency frequency;
  std::optional<double> asked_hz;  // what was set, if known
  bool is_of_experiment = false;   // the model was fitted to this run
  double cpi = 0;                  // cycles per instruction
  double cycles_sigma = 0;
  double instructions_sigma = 0;
  /// Seconds per instruction that memory beyond the core's clock takes when nothing hides it;
  /// absent without counts of its accesses and a machine profile.
  std::optional<double> memory_s;
  double memory_sigma = 0;          // of the counts of accesses
  std::optional<double> stall_cpi;  // stalled cycles per instruction
  double stall_sigma = 0;
  double hz() const { return frequency.hz; }
};

/// What a line shows, in words.
namespace line_verdict {
inline constexpr const char* kGood = "good";
/// The frequency was not what was set, or not the same on all ranks and threads.
inline constexpr const char* kTurboMoved = "turbo moved";
inline constexpr const char* kTooFewInstructions = "too few instructions";  // samples of them
/// Memory became slower together with the core.
inline constexpr const char* kMemoryClockMoved = "memory clock moved";
/// Memory cycles hardly differ, so any line would fit.
inline constexpr const char* kNotIdentified = "not identified";
inline constexpr const char* kNotALine = "not a line";  // none passes close to all points
}  // namespace line_verdict

/// A line, with the values that it gives to the model: `from` is set, but not `frequency_hz`.
struct CpiLine : CpiRefinement {
  std::string verdict = line_verdict::kNotIdentified;
  std::string why;  // the reason for the verdict, one sentence
  bool is_usable() const { return verdict == line_verdict::kGood; }
};

/// Whether two frequencies are too close to each other to be useful.
bool is_same_frequency(double a_hz, double b_hz);

/// Rejects the line if a run was not made at the frequency that was set; returns whether it did.
bool differs_from_asked(const std::vector<CpiObservation>& observations, CpiLine* line);

/// The line from runs of one process count and size at two or more frequencies. Accesses per
/// instruction do not depend on the frequency, so they are averaged over all runs.
CpiLine fit_frequency_line(const std::vector<CpiObservation>& observations);

/// Fits the line to runs whose memory cycles per instruction differ for a reason other than the
/// frequency, such as the process count. Assumes that CPI_core and BF_mem are the same in all of
/// them. The verdict is kNotIdentified unless the differences determine both values.
CpiLine fit_spread_line(const std::vector<CpiObservation>& observations);

}  // namespace apmt
