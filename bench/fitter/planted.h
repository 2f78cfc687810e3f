// Synthetic ("planted") programs whose true scaling is known, for measuring how good the fitter is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "fitter/model/model.h"
#include "profile/run_profile.h"

namespace apmt::bench {

/// Random numbers. They are not drawn with the distributions of the standard library, because these
/// give different numbers in different implementations.
double log_uniform(std::mt19937_64& random, double low, double high);
double normal(std::mt19937_64& random);

/// A term coefficient * basis(P), where P is the process count. `basis` includes the dependence on
/// the problem size n(P).
struct PlantedTerm {
  std::string name;
  std::function<double(double)> basis;
  double coefficient = 0;
};

/// The time per rank of a kernel, a part of communication, or start-up, as a sum of terms.
struct PlantedTime {
  std::string name;
  std::vector<PlantedTerm> terms;
  double value(double procs) const;
};

/// The form of a kernel: a main term and sometimes a small term of another kind (the side term).
struct KernelForm {
  const char* main;
  const char* side;  // "" if there is none
};
inline constexpr int kKernelForms = 5;  // each is drawn with the same probability
const std::array<KernelForm, kKernelForms>& kernel_forms(bool weak);

/// The share of the side term at P = 8 is drawn log-uniformly from this range.
inline constexpr double kLeastSideShare = 0.003, kMostSideShare = 0.15;
/// The share of latency in the point-to-point time at P = 8 is drawn uniformly from this range. The
/// rest of the time is for bytes.
inline constexpr double kLeastLatencyPart = 0.1, kMostLatencyPart = 0.9;

/// A kernel of this form that takes `seconds` at P = 8, of which its side term takes `side_share`.
PlantedTime planted_kernel(const KernelForm& form, const std::string& name, double seconds,
                           double side_share);

/// Calls and bytes of an MPI operation, summed over all ranks.
struct PlantedCounts {
  std::string op;
  std::string op_class;
  std::function<double(double)> calls;
  std::function<double(double)> bytes;
};

struct PlantedProgram {
  bool weak = false;
  double iterations = 100;
  std::vector<PlantedTime> kernels;
  PlantedTime p2p;
  PlantedTime coll;
  PlantedTime others;
  std::vector<PlantedCounts> counts;
  std::vector<int> procs;  // the profiled process counts
  int repetitions = 1;
  double size_at(double procs) const;
  double total_s(double procs) const;
};

struct PlantedOptions {
  bool weak = false;
  double noise = 0.05;  // standard deviation of ln t, for every time t of every run
  double sample_s = 1e-3;
  bool with_counters = false;  // noise-free instruction counts for every kernel
  bool with_parts = true;      // false: only the total time of each run is known
};

/// A random program with two to five kernels (1/P, 1/P + constant, P^-2/3, ...; in weak scaling:
/// constant, constant + log P, ...), point-to-point messages over a process grid or chain (latency
/// plus bytes / bandwidth), collectives with log2(P) steps, and start-up. It has three to six
/// profiled process counts and one to five repetitions.
PlantedProgram random_program(std::mt19937_64& random, const PlantedOptions& options);

/// One run, with noise on every time. Counts are exact.
RunProfile run(const PlantedProgram& program, int procs, int repetition,
               const PlantedOptions& options, std::mt19937_64& random);

/// All repetitions at one process count (runs_at) or at all profiled counts (profiled_runs).
std::vector<RunProfile> runs_at(const PlantedProgram& program, int procs,
                                const PlantedOptions& options, std::mt19937_64& random);
std::vector<RunProfile> profiled_runs(const PlantedProgram& program, const PlantedOptions& options,
                                      std::mt19937_64& random);

/// The prediction of an oracle, which knows the true form of every time, and fits the form's
/// coefficients to the medians of the runs. Coefficients are not negative; residuals are relative.
double oracle_s(const PlantedProgram& program, const std::vector<RunProfile>& runs, double procs);

/// A random program, its profiled runs, and the model fitted to them.
struct Trial {
  PlantedProgram program;
  std::vector<RunProfile> runs;
  Model model;
};
Trial random_trial(std::mt19937_64& random, const PlantedOptions& options);

using Seconds = std::function<double(const RunProfile&)>;
double elapsed_s(const RunProfile& run);
double median_of(const std::vector<RunProfile>& runs, const Seconds& seconds);

/// A part of the whole time, and the function that reads its measured time from a run.
struct PlantedPart {
  const PlantedTime* truth;
  Seconds measured;
};
/// The kernels in the program's order, then point-to-point, collectives, start-up. The result
/// points into `program`, which must outlive the result.
std::vector<PlantedPart> parts_of(const PlantedProgram& program);

}  // namespace apmt::bench
