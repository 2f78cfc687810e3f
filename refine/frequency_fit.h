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

namespace apmt {

/// The slowest and the fastest rank or thread of a run; 0: not known.
struct FrequencyRange {
  std::string slowest;  // "rank 3", "a thread of rank 3"
  double lowest_hz = 0;
  std::string fastest;
  double highest_hz = 0;
};

/// One kernel in one run. Sigmas are relative standard deviations.
struct CpiObservation {
  int procs = 0;
  std::map<std::string, double> params;
  double frequency_hz = 0;  // as measured while running
  double frequency_sigma = 0;
  FrequencyRange extremes;
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
};

enum class LineVerdict {
  kGood,
  kTurboMoved,  // the frequency was not what was set, or not the same on all ranks and threads
  kTooFewInstructions,  // too few samples for a CPI
  kMemoryClockMoved,    // memory became slower together with the core
  kNotIdentified,       // memory cycles hardly differ, so any line would fit
  kNotALine,            // no line passes close to all points
};
std::string to_string(LineVerdict verdict);

struct CpiLine {
  enum class From {
    kFrequencies,  // one process count and size at several core frequencies
    kSpread,       // runs whose accesses per instruction differ (other process counts or sizes)
  };
  From from = From::kFrequencies;
  LineVerdict verdict = LineVerdict::kNotIdentified;
  std::string why;  // the reason for the verdict, one sentence
  double cpi_core = 0;
  double cpi_core_se = 0;  // standard error
  /// Seconds per instruction for which memory beyond the core's clock blocks the core.
  double blocked_s = 0;
  double blocked_s_se = 0;
  std::optional<double> bf_mem;  // blocked_s / memory_s; absent without counts of accesses
  std::optional<double> bf_mem_se;
  double r_squared = 0;
  double lowest_hz = 0;
  double highest_hz = 0;
  bool is_usable() const { return verdict == LineVerdict::kGood; }
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
