// A question to a model and its answer.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fitter/draw_places.h"
#include "fitter/model.h"
#include "fitter/what_if.h"

namespace apmt {

struct Scenario {
  int procs = 0;
  /// Problem sizes that differ from the default (the sizes of the largest profiled process count,
  /// or those that `scaling` implies).
  std::map<std::string, double> params;
  /// kStrong: sizes stay; kWeak: work per process stays. Absent: as the campaign was run.
  std::optional<Scaling> scaling;
  /// Nominal coverage of the interval, in (0, 1).
  double confidence = 0.8;
  WhatIf what_if = {};
};

/// A time with its interval, low_s <= time_s <= high_s.
struct TimeEstimate {
  double time_s = 0;
  double low_s = 0;
  double high_s = 0;
};

/// A process count with its interval, low <= procs <= high.
struct ProcsEstimate {
  int procs = 0;
  int low = 0;
  std::optional<int> high;  // absent: beyond what was looked at
};

/// The parts of equation (2). Absent: not known at this grade, never zero.
struct PredictedParts {
  std::optional<TimeEstimate> computation;  // outside MPI, on the CPU: as it is measured
  std::optional<TimeEstimate> comp;         // of it; all where mem is absent
  std::optional<TimeEstimate> mem;          // of it, blocked by memory
  std::optional<TimeEstimate> comm_p2p;
  std::optional<TimeEstimate> comm_coll;
  std::optional<TimeEstimate> comm_wait;  // absent: contained in the two above
  std::optional<TimeEstimate> comm_other;
  std::optional<TimeEstimate> off_cpu;
  std::optional<TimeEstimate> others;
};

/// What a part of the time is called that is larger than the others.
inline constexpr const char* kBoundByCompute = "compute+memory";  // where nothing tells them apart
inline constexpr const char* kBoundByCore = "compute";
inline constexpr const char* kBoundByMemory = "memory";
inline constexpr const char* kBoundByNetwork = "network";  // of a kernel: what its calls transfer
inline constexpr const char* kBoundByWaiting =
    "waiting";  // of a kernel: its calls, for other ranks
inline constexpr const char* kBoundByMessages = "communication";
inline constexpr const char* kBoundByOthers = "others";
std::string largest_group(double comp_s, double comm_s, double others_s);

struct PredictedKernel {
  std::size_t index = 0;  // in Model::kernels: two kernels may bear one name
  std::string name;
  KernelRole role = KernelRole::kCritical;
  TimeEstimate time;
  /// What would shorten it and its own calls to MPI most if it were faster: "compute", "memory"
  /// ("compute+memory" where the grade cannot tell), "network" or, where others hold it up most,
  /// "waiting".
  std::string bound;
  std::optional<double> bound_probability = {};
  std::optional<ProcsEstimate> bound_changes = {};  // from where on it is another one
  std::string bound_becomes = {};                   // that one
  /// Of the time, computation and what memory blocks; absent where nothing tells them apart.
  std::optional<TimeEstimate> comp = {};
  std::optional<TimeEstimate> mem = {};
  /// Beside it, in the kernel's own calls to MPI; absent where it makes none.
  std::optional<TimeEstimate> transfer = {};
  std::string transfer_part = {};  // the largest of it: "comm_p2p", "comm_coll", "comm_other"
  std::optional<TimeEstimate> wait = {};
};

/// Something assumed to differ from the machine of the runs.
struct Assumption {
  std::string what;              // "latency", "cores per node"
  std::optional<double> value;   // what it is taken to be; absent when only a factor is known
  std::optional<double> before;  // what it was; absent when unknown
  std::optional<double> factor;  // absent where none applies
  std::string unit;              // of value and before
  std::string source;            // "asked for", "machine profile hpc"
  std::string text;              // for people
};

struct Prediction {
  int procs = 0;
  std::map<std::string, double> params;
  TimeEstimate time;  // the sum of the parts that are known
  double confidence = 0.8;
  double extrapolation_factor = 1;  // procs / largest profiled procs
  double size_factor = 1;           // work / largest profiled work
  /// The problem is larger than any that was profiled and than the campaign's sizes go.
  bool is_beyond_sizes = false;
  Grade grade = Grade::kC;
  std::string bound;  // "compute", "memory", "compute+memory", "communication", "others"
  /// Whether a faster memory would shorten computation by more than a faster core; absent: unknown.
  std::optional<bool> is_memory_bound;
  std::optional<ProcsEstimate> bound_changes_at;  // from where on the verdict is another
  std::string bound_becomes;                      // and which, empty when it does not change
  PredictedParts parts;
  /// Of messages and of collectives, the share that latency is; the rest is bandwidth. Absent where
  /// calls and bytes do not tell them apart.
  std::optional<double> p2p_latency;
  std::optional<double> coll_latency;
  bool is_undivided = false;             // only wholes are known: all of it stands in parts.comp
  std::vector<std::string> missing;      // parts that belong to the whole but are not in it
  std::vector<PredictedKernel> kernels;  // by falling time, the rest last
  std::optional<double> speedup;         // relative to the smallest profiled procs, same sizes
  std::optional<double> efficiency;      // speedup * min procs / procs (strong), time ratio (weak)
  std::optional<std::array<double, 2>> efficiency_interval;
  int reference_procs = 0;                    // what speedup and efficiency are relative to
  std::optional<double> measured_s;           // when this very point was profiled
  std::map<std::string, double> baselines_s;  // what the reference models say, by name
  Backtest backtest;
  std::vector<Assumption> assumptions;  // of the what-if; empty: as profiled
  bool worthless = false;               // extrapolated by more than 1000
  std::vector<std::string> warnings;
};

/// What a prediction says in every draw: for functionals along the process counts.
struct Glance {
  int procs = 0;
  TimeEstimate time;         // as Prediction::time
  std::string bound;         // as Prediction::bound
  bool is_complete = false;  // no part is missing
  Draws whole{};
  Draws comp{};    // what verdicts compare
  Draws comm{};    // with waiting
  Draws others{};  // with time off the CPU
  Draws efficiency{};
};

/// A model made ready for many questions: what the measured points say about each law is worked out
/// once, as 512 joint draws (draw_places.h). The model must outlive it.
class Predictor {
 public:
  explicit Predictor(const Model& model);
  ~Predictor();
  Predictor(Predictor&&) noexcept;
  Predictor& operator=(Predictor&&) = delete;
  /// Throws InputError when the scenario asks for what the model cannot know (an unknown size, no
  /// process at all).
  Prediction predict(const Scenario& scenario) const;
  /// The same by draws, without the kernels.
  Glance glance(const Scenario& scenario) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// One question only.
Prediction predict(const Model& model, const Scenario& scenario);

/// [low, high], high null where it lies beyond what was looked at; null of nothing.
Json interval_of(const std::optional<ProcsEstimate>& procs);
Json to_json(const Prediction& prediction);

}  // namespace apmt
