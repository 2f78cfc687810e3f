// A question to a model (Scenario) and its answer (Prediction).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fitter/model/model.h"
#include "fitter/prediction/what_if.h"
#include "fitter/times/draw_places.h"

namespace apmt {

struct Scenario {
  int procs = 0;
  /// Problem sizes that differ from the default. The default is the sizes of the largest profiled
  /// process count, or those that `scaling` implies.
  std::map<std::string, double> params = {};
  /// kStrong: sizes stay the same; kWeak: the work per process stays the same. Absent: as in the
  /// profiled runs.
  std::optional<Scaling> scaling = {};
  /// The probability with which the interval shall contain the true value, in (0, 1).
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
  std::optional<int> high;  // absent: above all counts that were searched
};

/// The parts of equation (2) of the APMT paper. An absent part is unknown at the model's grade;
/// absence never means zero.
struct PredictedParts {
  std::optional<TimeEstimate> computation;  // CPU time outside MPI: comp plus mem
  std::optional<TimeEstimate> comp;         // computation without mem; all of it if mem is absent
  std::optional<TimeEstimate> mem;          // the part of computation that memory blocks
  std::optional<TimeEstimate> comm_p2p;
  std::optional<TimeEstimate> comm_coll;
  std::optional<TimeEstimate> comm_wait;  // absent: included in comm_p2p and comm_coll
  std::optional<TimeEstimate> comm_other;
  std::optional<TimeEstimate> off_cpu;
  std::optional<TimeEstimate> start;  // until MPI_Init returns
  std::optional<TimeEstimate> end;    // from the entry of MPI_Finalize
};

enum class Part;  // model_parts.h
/// The member for a part: parts.*predicted_part(part).
std::optional<TimeEstimate> PredictedParts::*predicted_part(Part part);

/// Names of the largest part of a time: what bounds it.
inline constexpr const char* kBoundByCompute = "compute+memory";  // where the two are not separated
inline constexpr const char* kBoundByCore = "compute";
inline constexpr const char* kBoundByMemory = "memory";
inline constexpr const char* kBoundByNetwork = "network";  // of a kernel: transfer in its own calls
inline constexpr const char* kBoundByWaiting = "waiting";  // of a kernel: for other ranks
inline constexpr const char* kBoundByMessages = "communication";
inline constexpr const char* kBoundByOthers = "others";
std::string largest_group(double comp_s, double comm_s, double others_s);

struct PredictedKernel {
  std::size_t index = 0;  // in Model::kernels; names may occur twice
  std::string name;
  KernelRole role = KernelRole::kCritical;
  TimeEstimate time;
  /// What would shorten the kernel and its own calls to MPI most if it were faster: "compute",
  /// "memory" (or "compute+memory" if the grade cannot separate the two), "network", or "waiting"
  /// if less waiting for other ranks would shorten it most.
  std::string bound;
  std::optional<double> bound_probability = {};
  std::optional<ProcsEstimate> bound_changes = {};  // the count from which another bound holds
  std::string bound_becomes = {};                   // that other bound
  /// The kernel's time as computation and time blocked by memory; absent if these are not
  /// separated.
  std::optional<TimeEstimate> comp = {};
  std::optional<TimeEstimate> mem = {};
  /// In addition, time in the kernel's own calls to MPI; absent if it makes none.
  std::optional<TimeEstimate> transfer = {};
  std::string transfer_part = {};  // its largest part: "comm_p2p", "comm_coll", "comm_other"
  std::optional<TimeEstimate> wait = {};
  /// Whether no run has a sample of the kernel. Then time.time_s is 0, and time.high_s is what one
  /// sample stands for.
  bool is_unsampled = false;
};

/// The time in one group of calls (comm_fit.h).
struct PredictedGroup {
  std::string name;
  TimeEstimate time;
  std::optional<double> latency;  // as Prediction::p2p_latency
};

/// A figure of the machine that a what-if assumes to differ from the machine of the runs.
struct Assumption {
  std::string what;              // "latency", "cores per node"
  std::optional<double> value;   // assumed value; absent if only a factor is known
  std::optional<double> before;  // value in the runs; absent if unknown
  std::optional<double> factor;  // absent if there is none
  std::string unit;              // unit of both values
  std::string source;            // "asked for", "machine profile hpc"
  std::string text;              // for readers
};

struct Prediction {
  int procs = 0;
  std::map<std::string, double> params;
  TimeEstimate time;  // sum of the known parts
  double confidence = 0.8;
  double extrapolation_factor = 1;  // procs / largest profiled procs
  double size_factor = 1;           // work / largest profiled work
  /// Whether the problem is larger than every profiled one, and larger than it would become if the
  /// campaign's sizes continued to grow with P.
  bool is_beyond_sizes = false;
  Grade grade = Grade::kC;
  Scaling scaling = Scaling::kStrong;  // as asked for, or as in the runs
  /// "compute", "memory", "compute+memory", "communication", "others" or "unknown".
  std::string bound;
  std::optional<ProcsEstimate> bound_changes_at;  // the count from which another bound holds
  std::string bound_becomes;                      // that other bound; empty: it never changes
  PredictedParts parts;
  /// The share of latency in messages and in collectives; the rest is bandwidth. Absent in
  /// what-ifs, or if calls and bytes do not separate the two.
  std::optional<double> p2p_latency;
  std::optional<double> coll_latency;
  /// The groups of calls in point-to-point communication, in collectives and in waiting; empty if
  /// the part has a single law.
  std::vector<PredictedGroup> messages;
  std::vector<PredictedGroup> collectives;
  std::vector<PredictedGroup> waiting;
  bool is_undivided = false;             // no part was measured: parts.comp is the whole time
  std::vector<std::string> missing;      // parts of the whole time that are unknown
  std::vector<PredictedKernel> kernels;  // by falling time with MPI calls, small functions last
  std::optional<double> speedup;         // work per time, relative to the fewest profiled processes
  std::optional<double> efficiency;      // speedup * fewest procs / procs; weak: time ratio
  std::optional<std::array<double, 2>> efficiency_interval;
  int reference_procs = 0;                    // speed-up and efficiency are relative to this count
  std::optional<double> measured_s;           // sum of the measured parts; absent: not profiled
  std::map<std::string, double> baselines_s;  // predictions of the reference models, by name
  Backtest backtest;
  std::vector<Assumption> assumptions;  // made by the what-if; empty: as profiled
  bool worthless = false;               // extrapolated by a factor above 1000
  std::vector<std::string> warnings;
  const PredictedKernel& kernel(std::size_t index) const;  // by its index in Model::kernels
};

/// A prediction in every draw, for searches over process counts (draw_search.h).
struct Glance {
  TimeEstimate time;         // as Prediction::time
  std::string bound;         // as Prediction::bound
  bool is_complete = false;  // every part is known
  Draws whole{};
  Draws comp{};                                 // the times that are compared to find the bound
  Draws comm{};                                 // including waiting
  Draws others{};                               // including time off the CPU
  double comp_s = 0, comm_s = 0, others_s = 0;  // the same in the middle: they decide the bound
  Draws efficiency{};
};

/// The times at one process count and problem size in every draw.
struct DrawnTimes {
  struct OfPart {
    Part part;
    std::vector<Draws> laws;  // computation: one per kernel, in the model's order
    Draws sum{};
  };
  int procs = 0;
  double work = 0;  // D
  std::vector<OfPart> parts;
  Draws whole{};                                   // in each draw, the sum of all laws
  TimeEstimate estimate(double confidence) const;  // of the whole time
};

/// The predicted computation of each kernel in every draw. devices/offload replaces the times of
/// the kernels that are ported to a device.
struct KernelTimes {
  std::map<std::string, double> params;
  TimeEstimate whole;             // as Prediction::time
  std::vector<double> kernels_s;  // as PredictedKernel::time, in the order of Model::kernels
  DrawnTimes drawn;

  const Draws& kernel(std::size_t index) const { return drawn.parts.front().laws.at(index); }
};

class ModelDraws;

/// Makes many predictions from one model: the posterior of each law is calculated once and
/// represented by 512 joint draws (draw_places.h). The model must outlive the Predictor.
class Predictor {
 public:
  explicit Predictor(const Model& model);
  ~Predictor();
  /// Throws InputError if the scenario asks for something that the model lacks (an unknown size) or
  /// that makes no sense (no process).
  Prediction predict(const Scenario& scenario) const;
  /// Like predict(), but with the times in every draw and without the kernels.
  Glance glance(const Scenario& scenario) const;
  KernelTimes kernel_times(const Scenario& scenario) const;

 private:
  const Model& model_;
  std::unique_ptr<const ModelDraws> laws_;
};

/// For a single prediction.
Prediction predict(const Model& model, const Scenario& scenario);

/// [low, high]; high is null if it is above all counts that were searched. Null without an
/// estimate.
Json interval_of(const std::optional<ProcsEstimate>& procs);
Json to_json(const Prediction& prediction);

}  // namespace apmt
