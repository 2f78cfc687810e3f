// Example values for the tests of reports: a fit of halo2d on a machine with two cores, and
// variants of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fitter/prediction/prediction.h"
#include "machine/machine_profile.h"
#include "reports/history.h"
#include "reports/report.h"

namespace apmt::example {

inline Measured measured(double value) {
  return {.value = value, .rel_sigma = 0.01, .rel_sampling = 0.02, .repetitions = 3};
}

inline TimeEstimate around(double value, double spread) {
  return {.time_s = value, .low_s = value / (1 + spread), .high_s = value * (1 + spread)};
}

inline KernelModel kernel(const std::string& name, KernelRole role, double at_one, double exponent,
                          double share) {
  KernelModel model;
  model.name = name;
  model.id = {"halo2d", name, "halo2d.c"};
  model.role = role;
  model.max_share = share;
  for (const double procs : {2.0, 4.0, 8.0}) {
    FitPoint point;
    point.procs = procs;
    point.value = at_one * std::pow(procs, exponent);
    model.points.push_back(point);
  }
  return model;
}

inline CountModel counts(const std::string& op, const std::string& op_class, double calls_per_rank,
                         double bytes_per_call) {
  CountModel model;
  model.op = op;
  model.op_class = op_class;
  for (const double procs : {2.0, 4.0, 8.0}) {
    FitPoint calls;
    calls.procs = procs;
    calls.value = calls_per_rank * procs;
    FitPoint bytes = calls;
    bytes.value = calls.value * bytes_per_call;
    model.calls_points.push_back(calls);
    model.bytes_points.push_back(bytes);
  }
  LawTerm term;
  term.coefficient = calls_per_rank;
  term.p_exponent = 1;
  decltype(CountLaw::hypotheses)::value_type hypothesis;
  hypothesis.terms = {term};
  hypothesis.exact = true;
  model.calls.hypotheses = {hypothesis};
  hypothesis.terms[0].coefficient *= bytes_per_call;
  model.bytes.hypotheses = {hypothesis};
  return model;
}

/// A model of runs at 2, 4 and 8 processes. The communication times of runs with more processes
/// than `cores` cannot be used.
inline Model model(int cores = 2) {
  Model m;
  m.program = "halo2d";
  m.scaling = Scaling::kStrong;
  m.cores_per_node = cores;
  m.param_names = {"n"};
  m.kernels = {kernel("sweep", KernelRole::kCritical, 12.0, -0.97, 0.83),
               kernel("residual", KernelRole::kCritical, 2.1, -0.99, 0.14),
               kernel("exchange_pack", KernelRole::kNonScalable, 0.02, 0.05, 0.014),
               kernel("(rest)", KernelRole::kRest, 0.1, -0.9, 0.01)};
  m.kernels.back().functions = 37;
  for (const int procs : {2, 4, 8}) {
    ModelPoint point;
    point.procs = procs;
    point.params = {{"n", 4000}};
    point.oversubscribed = procs > cores;
    point.repetitions = 3;
    double compute = 0;
    for (const KernelModel& k : m.kernels) {
      for (const FitPoint& p : k.points) compute += p.procs == procs ? p.value : 0;
    }
    point.parts.comp_s = measured(compute);
    point.parts.start_s = measured(0.045 + 0.002 * procs);
    point.parts.end_s = measured(0.016);
    point.parts.off_cpu_s = measured(0.011);
    point.known_s = compute + 0.072 + 0.002 * procs;
    const double p2p = 0.08 + 0.004 * procs;
    const double coll = 0.03 + 0.01 * std::log2(procs);
    if (procs <= cores) {
      point.parts.comm_p2p_s = measured(p2p);
      point.parts.comm_coll_s = measured(coll);
      point.parts.comm_other_s = measured(0.0004);
      point.known_s += p2p + coll + 0.0004;
      point.elapsed_s = point.known_s * 1.006;
      point.parts.closure_s = point.elapsed_s - point.known_s;
    } else {
      point.elapsed_s = point.known_s * 1.9 + p2p + coll;
    }
    point.rel_sigma = 0.012;
    point.fitted_s = point.known_s * (procs == 4 ? 1.018 : 0.993);
    point.coverage = 0.991 - 0.001 * procs;
    point.load_balance = 0.97;
    m.points.push_back(point);
  }
  m.counts = {counts("MPI_Allreduce", "collective", 200, 8), counts("MPI_Irecv", "p2p", 798, 0),
              counts("MPI_Isend", "p2p", 798, 32000), counts("MPI_Waitall", "completion", 400, 0)};
  CommModel p2p{
      .part = "p2p", .points = {}, .law = {}, .ops = {"MPI_Irecv", "MPI_Isend", "MPI_Waitall"}};
  CommModel coll{.part = "coll", .points = {}, .law = {}, .ops = {"MPI_Allreduce"}};
  if (cores >= 8) p2p.law = coll.law = TimeLaw{};
  m.comm = {p2p, coll};
  m.baselines = {{"analytical", "a*D/P + b", {13.9, 0.05}},
                 {"empirical", "a/P + b*P^c + d", {13.5, 0.001, 1, 0.02}},
                 {"power law", "a*P^b", {13.8, -0.93}}};
  m.backtest = {
      .possible = true,
      .note = {},
      .procs = 8,
      .from_procs = {2, 4},
      .measured_s = 1.98,
      .time_s = 1.91,
      .low_s = 1.74,
      .high_s = 2.13,
      .error = 1.91 / 1.98 - 1,
      .covered = true,
      .baseline_errors = {{"analytical", 0.062}, {"empirical", 0.104}, {"power law", -0.071}}};
  m.summary.functions = 40;
  m.summary.critical_kernels = 2;
  m.summary.non_scalable_kernels = 1;
  m.summary.min_coverage = 0.983;
  m.summary.exact_count_laws = 8;
  m.summary.count_laws = 8;
  return m;
}

inline Prediction predict_at(const Model& m, int procs) {
  const bool communication = !m.points.back().oversubscribed;
  const double far = std::max(1.0, procs / 8.0);
  const double spread = 0.03 + 0.07 * std::log2(far);
  Prediction p;
  p.procs = procs;
  p.params = {{"n", 4000}};
  p.extrapolation_factor = procs / 8.0;
  double compute = 0;
  for (std::size_t i = 0; i < m.kernels.size(); ++i) {
    const KernelModel& k = m.kernels[i];
    const double slope = std::log2(k.points[2].value / k.points[1].value);
    const double value = k.points[2].value * std::pow(procs / 8.0, slope);
    compute += value;
    p.kernels.push_back({i, k.name, k.role, around(value, spread), "compute+memory"});
  }
  p.parts.comp = around(compute, spread);
  p.parts.start = around(0.045 + 0.002 * procs, spread);
  p.parts.end = around(0.016, spread);
  p.parts.off_cpu = around(0.011, 0.5);
  double sum = compute + 0.072 + 0.002 * procs;
  p.bound = "compute+memory";
  if (communication) {
    p.parts.comm_p2p = around(0.08 + 0.004 * procs, spread);
    p.parts.comm_coll = around(0.03 + 0.01 * std::log2(procs), spread);
    p.parts.comm_other = around(0.0004, spread);
    sum += p.parts.comm_p2p->time_s + p.parts.comm_coll->time_s + 0.0004;
    if (procs > 48) p.bound = "communication";
    p.bound_changes_at = {48, 48, 48};
    p.bound_becomes = procs > 48 ? "compute+memory" : "communication";
  } else {
    p.missing = {"comm_p2p_s", "comm_coll_s", "comm_other_s"};
    p.bound = "unknown";
    p.warnings = {"communication is not predicted: no usable time inside MPI beyond 2 processes"};
  }
  p.time = around(sum, spread);
  p.reference_procs = 2;
  p.speedup = m.points[0].known_s / sum;
  p.efficiency = *p.speedup * 2 / procs;
  for (const ModelPoint& point : m.points) {
    if (point.procs == procs) p.measured_s = point.known_s;
  }
  p.baselines_s = {{"analytical", 13.9 / procs + 0.05},
                   {"empirical", 13.5 / procs + 0.001 * procs + 0.02},
                   {"power law", 13.8 * std::pow(procs, -0.93)}};
  p.backtest = m.backtest;
  return p;
}

inline std::vector<Prediction> predict_all(const Model& m, const std::vector<int>& counts) {
  std::vector<Prediction> list;
  for (const int procs : counts) list.push_back(predict_at(m, procs));
  return list;
}

/// The changes that halve one cost, for a prediction of the model with communication.
inline std::vector<HalvedCost> halved(const Model& m, const Prediction& p) {
  std::vector<HalvedCost> list;
  const auto add = [&](HalvedCost change, double saved_s) {
    const double left = 1 - saved_s / p.time.time_s;
    change.time = {p.time.time_s * left, p.time.low_s * left, p.time.high_s * left};
    change.saved = 1 - left;
    list.push_back(std::move(change));
  };
  for (const PredictedKernel& k : p.kernels)
    if (m.kernels.at(k.index).role != KernelRole::kRest)
      add({.of = HalvedCost::Of::kKernel, .kernel = k.index}, 0.5 * k.time.time_s);
  for (const auto& [key, part] :
       {std::pair("comm_p2p_s", p.parts.comm_p2p), std::pair("comm_coll_s", p.parts.comm_coll),
        std::pair("start_s", p.parts.start)})
    if (part) add({.of = HalvedCost::Of::kPart, .part = key}, 0.5 * part->time_s);
  add({.of = HalvedCost::Of::kMachine, .knob = Knob::kFrequency}, 0.5 * p.parts.comp->time_s);
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.saved > b.saved; });
  return list;
}

/// How far the example scales, a run that would narrow its interval, and halved costs.
inline Ahead ahead(const Model& m, const Prediction& p) {
  Outlook o;
  o.from_procs = 2;
  o.to_procs = 8000;
  o.half_efficiency = {28, 22, 35};
  o.verdicts = {{"compute+memory", {2, 2, 2}}, {"communication", {48, 40, 60}}};
  o.from_time_s = m.points.front().known_s;
  o.fastest = {{{44, 34, 58}, 0.89, 0.0109}};
  return {o, NarrowingRun{32, 3, 0.025, 0.3}, halved(m, p)};
}

inline RunProfile run(int ranks = 4) {
  RunProfile r;
  r.program = "halo2d";
  r.command = "./halo2d 4000 200";
  r.mpi_library = "Open MPI v4.1.4";
  r.started_at = "2026-01-31T12:00:00Z";
  r.config.procs = ranks;
  r.config.params = {{"n", 4000}};
  r.config.max_ranks_per_node = ranks;
  r.hosts = {{"node1", "EPYC 7763", 4, ranks}};
  const auto column = [ranks](double value) {
    Column c;
    for (int rank = 0; rank < ranks; ++rank) c.per_rank.push_back(value * (rank == 1 ? 1.2 : 1.0));
    return c;
  };
  r.times.wall_s = column(3.6);
  r.times.init_s = column(0.05);
  r.times.finalize_s = column(0.01);
  r.times.main_s = column(3.5);
  r.times.mpi_s = column(0.31);
  r.times.mpi_p2p_s = column(0.25);
  r.times.mpi_coll_s = column(0.06);
  r.times.main_cpu_s = column(3.4);
  r.times.sampled_cpu_s = column(3.15);
  r.sampling = {"posix-timer", "", 0.004, 3150, 0};
  const auto function = [ranks](const std::string& name, std::uint64_t samples) {
    KernelProfile k;
    k.id = {"halo2d", name, "halo2d.c"};
    k.name = name;
    k.counters["cpu_s"] = {Provenance::kClock, "posix-timer", 0.004,
                           std::vector<std::uint64_t>(static_cast<std::size_t>(ranks), samples)};
    return k;
  };
  r.kernels = {function("exchange_pack", 9), function("residual", 110), function("sweep", 668)};
  const auto row = [](const char* op, const char* op_class, const char* caller, std::uint64_t calls,
                      std::uint64_t bytes, double time_s) {
    MpiRow m;
    m.op = op;
    m.op_class = op_class;
    m.caller = caller;
    m.calls = calls;
    m.bytes_sent = bytes;
    m.time_s = time_s;
    return m;
  };
  r.mpi = {row("MPI_Allreduce", "collective", "main", 800, 6400, 0.24),
           row("MPI_Isend", "p2p", "exchange", 1200, 1200ull * 32000, 0.1),
           row("MPI_Waitall", "completion", "exchange", 1600, 0, 0.9)};
  for (int rank = 0; rank + 1 < ranks; ++rank) {
    r.peers.push_back({rank, rank + 1, 200, 200ull * 32000});
    r.peers.push_back({rank + 1, rank, 200, 200ull * 32000});
  }
  r.health.ranks_expected = r.health.ranks_present = ranks;
  r.health.overhead_fraction = 0.004;
  return r;
}

inline MachineProfile machine() {
  MachineProfile profile;
  profile.name = "here";
  profile.provenance = "measured";
  profile.source = "a test";
  profile.cpu = "A CPU";
  profile.cores = 8;
  profile.frequency_hz = Figure{2.5e9, 0.01};
  profile.levels = {{"L1", 32768, Figure{1.6, 0.02}, Figure{1e11, 0.03}, 40000.0},
                    {.name = "memory", .latency_ns = Figure{90, 0.05}}};
  profile.latency_curve = {{4096, 1.6}, {32768, 1.6}, {1e6, 20}};
  profile.bandwidth_by_cores = {{1, {1e10, 0.01}}, {8, {6e10, 0.02}}};
  profile.mpi = "An MPI";
  profile.networks = {{"network",
                       {{0, {1e-6, 0.01}}, {1024, {1.1e-6, 0.01}}, {1048576, {58e-6, 0.02}}},
                       {{0, 1e-6, 8e-11, 0.02}, {8192, 6e-6, 5e-11, 0.01}},
                       Figure{0.5, 0.1}}};
  profile.collectives = {{"Barrier", 2, 0, {1e-6, 0.1}}, {"Barrier", 4, 0, {2e-6, 0.1}}};
  return profile;
}

inline HistorySeries history_of_kernel(const char* name) {
  HistorySeries series;
  series.what = name;
  series.is_kernel = true;
  series.source = "halo.c";
  series.procs = 8;
  return series;
}

/// Elapsed time and two kernels in eight versions of a program; the sixth version is slower.
inline History history() {
  History h;
  h.program = "halo2d";
  for (int v = 1; v <= 8; ++v)
    h.versions.push_back(
        {"c" + std::to_string(v), "2026-02-0" + std::to_string(v) + "T08:00:00Z", 3});
  const auto times = [](double before, double after) {
    std::vector<std::optional<double>> list;
    for (int v = 0; v < 8; ++v) list.push_back(v < 5 ? before : after);
    return list;
  };
  HistorySeries whole;
  whole.what = "elapsed";
  whole.procs = 8;
  whole.seconds = times(2, 2.2);
  whole.changes = {
      {.at = 5, .earliest = 4, .latest = 6, .before = 2, .after = 2.2, .chance = 0.0005}};
  HistorySeries sweep = history_of_kernel("sweep<int>");
  sweep.seconds = times(1, 1.25);
  sweep.changes = {
      {.at = 5, .earliest = 5, .latest = 5, .before = 1, .after = 1.25, .chance = 0.0005}};
  HistorySeries pack = history_of_kernel("pack");
  pack.seconds = times(0.5, 0.5);
  pack.seconds[2].reset();
  h.series = {whole, sweep, pack};
  return h;
}

}  // namespace apmt::example
