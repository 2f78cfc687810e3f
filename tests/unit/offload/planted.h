// A planted program: runs, models and analyses whose times and counts are closed forms. n points
// are divided among the ranks; sweep() streams over them, solve() computes on each.
#pragma once

#include "devices/offload/offload.h"
#include "fitter/fit/fit.h"
#include "tests/unit/devices/made.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt::devices::testing {

inline constexpr double kPoints = 1 << 22;
inline constexpr double kCalls = 100;
inline constexpr double kMessageBytes = 8192;

inline double sweep_s(double points) { return 4e-6 * points; }
inline double solve_s(double points) { return 1e-6 * points; }

/// Each call loads and stores every point once. Its schedule of all operations has ten levels of
/// `points` operations; that of floating-point operations has `flops_per_point` such levels.
inline kernels::KernelAnalysis analysed_kernel(const std::string& name, double points,
                                               double flops_per_point) {
  const auto count = [](double x) { return static_cast<std::uint64_t>(std::llround(x)); };
  kernels::KernelAnalysis k;
  k.function = k.name = name;
  k.file = "planted.cpp";
  k.line = 1;
  k.invocations = count(kCalls);
  k.mix.emplace();
  k.mix->flops = count(flops_per_point * points * kCalls);
  k.mix->flops_add = k.mix->flops_multiply = k.mix->flops / 2;
  k.mix->instructions = 4 * k.mix->flops;
  k.mix->loads = k.mix->stores = count(points * kCalls);
  k.mix->loaded_bytes = k.mix->stored_bytes = 8 * k.mix->loads;
  const auto schedule = [&](double depth, double operations) {
    kernels::Parallelism p;
    p.depth = count(depth);
    p.operations = count(operations);
    p.widths = {{count(operations / depth), count(operations / depth), p.depth, p.operations}};
    return p;
  };
  k.floating_point = schedule(flops_per_point * kCalls, static_cast<double>(k.mix->flops));
  k.all_operations = schedule(10 * kCalls, 10 * points * kCalls);
  k.load_chain = kernels::LoadChain{.depth = count(10 * kCalls), .unforeseen = count(kCalls)};
  k.locality.emplace();
  k.locality->accesses = 2 * points * kCalls;
  k.locality->cold = points / 8;  // lines
  const std::uint64_t far = count(points / 8) - 1;
  const double near = (2 - 0.125) * points * kCalls;
  k.locality->distances = {{0, 0, near}, {far, far, points / 8 * (kCalls - 1)}};
  k.synchronisation.emplace();
  k.loops.emplace_back();
  k.loops[0].mix = *k.mix;
  k.loops[0].footprint_bytes = 8 * points;
  return k;
}

inline AnalysedSize analysis_of(int procs, double points = kPoints) {
  AnalysedSize a;
  a.procs = procs;
  a.params = {{"n", points}};
  a.analysis.program = "planted";
  for (const auto& [name, flops] : {std::pair("sweep", 2.0), std::pair("solve", 40.0)}) {
    a.analysis.kernels.push_back(analysed_kernel(name, points / procs, flops));
    kernels::ScopeCounts scope{name, "planted.cpp", 1, {}, {}};
    scope.mix.instructions = 1;
    a.analysis.scopes.push_back(scope);
  }
  return a;
}

/// Strong scaling, without noise, with runs of 2 to 32 processes. serial() is not analysed.
inline Experiment planted_experiment(const std::vector<int>& analysed = {2, 8}) {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8, 16, 32}) {
    synthetic::PlantedRun run;
    run.cpus = 64;
    run.procs = procs;
    run.params = {{"n", kPoints}};
    run.kernel_s = {
        {"sweep", sweep_s(kPoints / procs)}, {"solve", solve_s(kPoints / procs)}, {"serial", 0.2}};
    run.ops = {
        {"MPI_Isend", "p2p", kCalls * procs, kCalls * procs * kMessageBytes},
        {"MPI_Recv", "p2p", kCalls / 2 * procs, kCalls / 2 * procs * kMessageBytes},
        {"MPI_Waitall", "completion", kCalls / 2 * procs, kCalls / 2 * procs * kMessageBytes}};
    run.p2p_s = 1e-2;
    runs.push_back(synthetic::profile(run));
  }
  Experiment e = make_experiment(std::move(runs));
  for (const int procs : analysed) e.analyses.push_back(analysis_of(procs));
  return e;
}

/// A device with round figures: 1e12 operations and 1e11 bytes per second.
inline Device planted_device(double factor = 1) {
  Device d = made_device("box", 1);
  d.units = figure(1000);
  d.frequency_hz = figure(1e9 * factor);
  d.fast_bytes = figure(64 * 1024);
  d.fast_latency_s = figure(0.0 + 1e-9 / factor);
  d.slow_latency_s = figure(1e-7 / factor);
  d.fast_bytes_per_s = figure(1e13 * factor);
  d.slow_bytes_per_s = figure(1e11 * factor);
  d.synchronisation_s = figure(1e-6 / factor);
  d.launch_s = figure(1e-5 / factor);
  d.in_double.peak_all = d.in_single.peak_all = figure(1e12 * factor);
  d.to_device.latency_s = d.from_device.latency_s = figure(5e-6 / factor);
  d.to_device.bytes_per_s = d.from_device.bytes_per_s = figure(1e10 * factor);
  return d;
}

/// Seconds of one kernel on the planted device, for one rank, by the formulas of docs/devices.md.
inline double device_s(double points, double flops_per_point) {
  const double flops = flops_per_point * points * kCalls;
  const double by_units = 10 * points * kCalls / 1000 / 1e9;
  const double computes = std::max(flops / 1e12, by_units);
  const bool fits = points / 8 * 64 <= 64 * 1024;
  const double lines = fits ? points / 8 : points / 8 * kCalls;
  const double moves = lines * 64 / 1e11;
  const double fast = (2 * points * kCalls - lines) * 8 / 1e13;
  const double slow_share = lines / (2 * points * kCalls);
  const double latency = 10 * kCalls * (slow_share * 1e-7 + (1 - slow_share) * 1e-9);
  return std::max({computes, moves, fast, latency}) + kCalls * 1e-5;
}

/// Seconds to move the messages between device and host: each message leaves one device and enters
/// another. With kPerCall this takes no extra time: every call of a kernel moves its data back, so
/// they are already on the host when MPI needs them.
inline double messages_s(DataPlace data = DataPlace::kResident) {
  return data == DataPlace::kPerCall ? 0 : kCalls * 2 * (5e-6 + kMessageBytes / 1e10);
}

/// Seconds to move the points of one kernel to the device and back.
inline double data_s(double points, DataPlace data) {
  const double there_and_back = 2 * (5e-6 + 8 * points / 1e10);
  return data == DataPlace::kResident ? 0
         : data == DataPlace::kOnce   ? there_and_back
                                      : kCalls * there_and_back;
}

/// Seconds to move the points to the device and back at each call.
inline double shared_s(double points) { return data_s(points, DataPlace::kPerCall); }

inline Model planted_model(const Experiment& e) { return fit(e, synthetic::fit_options()); }

inline Scenario at(int procs) {
  Scenario scenario;
  scenario.procs = procs;
  return scenario;
}

}  // namespace apmt::devices::testing
