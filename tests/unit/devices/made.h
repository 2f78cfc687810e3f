// A made-up kernel and device for tests, with figures that are easy to calculate with.
#pragma once

#include "devices/card.h"
#include "kernels/analysis.h"

namespace apmt::devices::testing {

inline CardFigure figure(double value) { return {value, 0, {"here", ""}}; }

/// A schedule of 100 levels of 40 operations and 10 levels of one operation; two additions for each
/// multiplication.
inline kernels::KernelAnalysis made_kernel() {
  kernels::KernelAnalysis k;
  k.function = "work";
  k.name = "work";
  k.file = "work.c";
  k.line = 7;
  k.invocations = 2;
  k.mix = kernels::InstructionMix{};
  k.mix->instructions = 10'000;
  k.mix->loads = 1'000;
  k.mix->stores = 1'000;
  k.mix->loaded_bytes = 8'000;
  k.mix->stored_bytes = 8'000;
  k.mix->flops = 4'010;
  k.mix->flops_add = 2'000;
  k.mix->flops_multiply = 1'000;
  k.floating_point = kernels::Parallelism{};
  k.floating_point->depth = 110;
  k.floating_point->operations = 4'010;
  k.floating_point->widths = {{1, 1, 10, 10}, {40, 40, 100, 4'000}};
  k.load_chain = kernels::LoadChain{.depth = 100, .unforeseen = 60};
  k.locality = kernels::Locality{};
  k.locality->accesses = 2'000;
  k.locality->cold = 100;
  k.locality->distances = {{0, 0, 1'900}};
  k.synchronisation = kernels::Synchronisation{};
  k.synchronisation->by_trip_counts = 12;
  k.synchronisation->inside_parallel = 4;
  return k;
}

/// Ten units, each of which executes 100 operations per second.
inline Device made_device(const std::string& name = "box", double factor = 1) {
  Device d;
  d.label = name;
  d.name = name + " (all of it)";
  d.kind = "gpu";
  d.sources["here"] = {.kind = "measured", .address = {}, .publisher = {}, .note = {}};
  d.cores = figure(5);
  d.units = figure(10);
  d.frequency_hz = figure(50 * factor);
  d.fast_bytes = figure(64 * 1000);
  d.fast_latency_s = figure(0.01 / factor);
  d.slow_latency_s = figure(0.1 / factor);
  d.fast_bytes_per_s = figure(1000 * factor);
  d.slow_bytes_per_s = figure(100 * factor);
  d.synchronisation_s = figure(0.5 / factor);
  d.launch_s = figure(0.25 / factor);
  d.loop_start_s = figure(0.125 / factor);
  d.in_double.peak_all = figure(1000 * factor);
  d.in_single.peak_all = figure(1000 * factor);
  d.to_device.bytes_per_s = figure(640 * factor);
  d.from_device.bytes_per_s = figure(320 * factor);
  return d;
}

/// A loop with two idioms: a gather with 1,000 references of 8 bytes, and a stream with 500. Both
/// share one footprint.
inline kernels::Analysis two_idioms() {
  kernels::Analysis a;
  a.program = "prog";
  a.kernels.push_back(made_kernel());
  kernels::LoopFacts loop;
  loop.footprint_bytes = 4'000;
  loop.idioms.push_back({"gather", "work.c", 8, "b[i] = a[c[i]];", 600, 400, 8'000, 0.5});
  loop.idioms.push_back({"stream", "work.c", 9, "b[i] = 0;", 0, 500, 4'000, 0.25});
  a.kernels[0].loops.push_back(loop);
  return a;
}

/// A device with the bandwidths of two idioms.
inline Device with_idioms(const std::string& name, double gather, double stream) {
  Device d = made_device(name);
  d.idioms["gather"] =
      Curve{.points = {{1000, gather, 0}, {4000, gather, 0}}, .pieces = {}, .origin = {}};
  d.idioms["stream"] =
      Curve{.points = {{1000, stream, 0}, {4000, stream, 0}}, .pieces = {}, .origin = {}};
  return d;
}

}  // namespace apmt::devices::testing
