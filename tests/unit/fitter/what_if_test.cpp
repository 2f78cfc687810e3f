// Tests of what-ifs: each changed figure changes the times that it should, by the right amount, and
// no others.
#include "fitter/prediction/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "fitter/fit/fit.h"
#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/sane.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::fit_runs;
using synthetic::PlantedRun;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kMessage_s = 4e-6;
constexpr double kByte_s = 2e-9;

/// Blocks of a square grid: messages per rank are constant, bytes per rank fall as the root of P.
PlantedRun blocks(int procs) {
  PlantedRun run;
  run.procs = procs;
  run.kernel_s = {{"sweep", 64.0 / procs}};
  run.others_s = 0.25;
  const double messages = 4e5 * procs;
  const double bytes = 4e9 * std::sqrt(procs);
  run.ops = {{"MPI_Isend", "p2p", messages, bytes}};
  run.p2p_s = (kMessage_s * messages + kByte_s * bytes) / procs;
  return run;
}

Model square_model() { return fit_runs({blocks(4), blocks(16), blocks(64)}); }

Scenario at(int procs, const WhatIf& what_if = {}) {
  return {.procs = procs, .params = {}, .scaling = {}, .what_if = what_if};
}

struct Turned {
  Knob knob;
  KnobChange change;
};

WhatIf with(const std::vector<Turned>& turned) {
  WhatIf what_if;
  for (const Turned& t : turned) what_if.of(t.knob) = t.change;
  return what_if;
}

WhatIf with_cores(int cores) {
  WhatIf what_if;
  what_if.cores_per_node = cores;
  return what_if;
}

KnobChange factor(double x) { return {KnobChange::Kind::kFactor, x}; }
KnobChange value(double x) { return {KnobChange::Kind::kValue, x}; }

/// Runs with cycles, instructions and stalls of every kernel; `share` of the cycles are stalled.
std::vector<RunProfile> counted(double share) {
  std::vector<RunProfile> runs;
  for (const int p : {4, 16, 64}) {
    RunProfile run = synthetic::profile(blocks(p));
    run.grade = Grade::kA;
    run.config.frequency_hz = 2e9;
    for (KernelProfile& kernel : run.kernels)
      for (const auto& [metric, per_second] :
           std::map<std::string, double>{{"cycles", 2e9}, {"stall", share * 2e9}}) {
        Counter& c = kernel.counters[metric];
        c.unit_per_sample = 1000;
        for (const std::uint64_t samples : kernel.counters["cpu_s"].samples)
          c.samples.push_back(static_cast<std::uint64_t>(
              std::llround(static_cast<double>(samples) * 1e-9 * per_second / 1000)));
      }
    runs.push_back(run);
  }
  return runs;
}

std::string bound_of_the_largest(const Model& model, const WhatIf& what_if) {
  return predict(model, at(128, what_if)).kernels.front().bound;
}

TEST(WhatIf, KernelsWhoseStallsWereCountedHaveAVerdictThatMoves) {
  const Model waits = fit(make_experiment(counted(0.7)), synthetic::fit_options());
  const Model computes = fit(make_experiment(counted(0.3)), synthetic::fit_options());
  const Model unknown = fit_runs({blocks(4), blocks(16), blocks(64)});
  EXPECT_EQ(bound_of_the_largest(waits, {}), "memory");
  EXPECT_EQ(bound_of_the_largest(computes, {}), "compute");
  EXPECT_EQ(bound_of_the_largest(unknown, {}), "compute+memory");
  // Memory takes 0.7 of the time, the core 0.3. Half of the memory's time is 0.35, more than 0.3; a
  // third of it is 0.23, less than 0.3.
  const auto memory = [](double x) { return with({{Knob::kMemoryLatency, factor(x)}}); };
  EXPECT_EQ(bound_of_the_largest(waits, memory(0.5)), "memory");
  EXPECT_EQ(bound_of_the_largest(waits, memory(1.0 / 3)), "compute");
  EXPECT_EQ(bound_of_the_largest(waits, with({{Knob::kFrequency, factor(0.3)}})), "compute");
}

TEST(WhatIf, LatencyAndBandwidthChangeTheirPartOfTheMessages) {
  const Model model = square_model();
  const Prediction as_is = predict(model, at(256));
  const double latency_s = kMessage_s * 4e5;
  const double volume_s = kByte_s * 4e9 / 16;
  ASSERT_NEAR(as_is.parts.comm_p2p->time_s, latency_s + volume_s, 1e-4);
  const Prediction faster = predict(model, at(256, with({{Knob::kLatency, factor(0.5)}})));
  EXPECT_NEAR(faster.parts.comm_p2p->time_s, latency_s / 2 + volume_s, 1e-4);
  const Prediction wider = predict(model, at(256, with({{Knob::kBandwidth, factor(4)}})));
  EXPECT_NEAR(wider.parts.comm_p2p->time_s, latency_s + volume_s / 4, 1e-4);
  const Prediction set = predict(
      model, at(256, with({{Knob::kLatency, value(1e-6)}, {Knob::kBandwidth, value(1e9)}})));
  EXPECT_NEAR(set.parts.comm_p2p->time_s, latency_s / 4 + volume_s / 2, 1e-4);
  for (const Prediction* p : {&faster, &wider, &set}) {
    expect_sane(*p);
    EXPECT_DOUBLE_EQ(p->parts.comp->time_s, as_is.parts.comp->time_s);
    EXPECT_DOUBLE_EQ(p->parts.start->time_s, as_is.parts.start->time_s);
    EXPECT_DOUBLE_EQ(p->parts.end->time_s, as_is.parts.end->time_s);
  }
}

TEST(WhatIf, SaysWhatItAssumes) {
  const Prediction p = predict(square_model(), at(64, with({{Knob::kLatency, value(1e-6)}})));
  ASSERT_EQ(p.assumptions.size(), 1u);
  EXPECT_EQ(p.assumptions[0].what, "latency");
  EXPECT_NEAR(*p.assumptions[0].factor, 0.25, 1e-4);
  EXPECT_NEAR(*p.assumptions[0].before, kMessage_s, 1e-9);
  EXPECT_THAT(p.assumptions[0].text, HasSubstr("latency x0.25: 1 us, was 4 us"));
  // The measured time and the reference models are for the original machine, so they are left out.
  EXPECT_FALSE(p.measured_s);
  EXPECT_THAT(p.baselines_s, IsEmpty());
  EXPECT_EQ(to_json(p)["assumed"].size(), 1u);
  EXPECT_EQ(to_json(predict(square_model(), at(64)))["assumed"].size(), 0u);
}

TEST(WhatIf, AValueFarFromTheFittedCostIsDoubted) {
  const Model model = square_model();
  const auto warnings = [&](double seconds) {
    return predict(model, at(64, with({{Knob::kLatency, value(seconds)}}))).warnings;
  };
  EXPECT_THAT(warnings(1e-7), Contains(HasSubstr("the fitted cost includes software")));
  EXPECT_THAT(warnings(2e-6), Contains(HasSubstr("the fitted cost includes software")).Times(0));
}

TEST(WhatIf, NoisyTimesToo) {
  std::vector<PlantedRun> runs;
  for (const int p : {4, 16, 64})
    for (int r = 1; r <= 3; ++r) {
      PlantedRun run = blocks(p);
      run.repetition = r;
      run.p2p_s *= 1 + 0.02 * (r - 2);
      run.sample_s = 0.001;
      runs.push_back(run);
    }
  const Model model = fit_runs(runs);
  const Prediction as_is = predict(model, at(128));
  double before_s = as_is.parts.comm_p2p->time_s;
  for (const double k : {0.8, 0.5, 0.2}) {
    const Prediction p = predict(model, at(128, with({{Knob::kLatency, factor(k)}})));
    expect_sane(p);
    EXPECT_LT(p.parts.comm_p2p->time_s, before_s) << k;
    EXPECT_GT(p.parts.comm_p2p->time_s, k * as_is.parts.comm_p2p->time_s) << k;
    before_s = p.parts.comm_p2p->time_s;
  }
  // If all costs change by the same factor, so does the time, however it is split.
  const Prediction both =
      predict(model, at(128, with({{Knob::kLatency, factor(0.5)}, {Knob::kBandwidth, factor(2)}})));
  EXPECT_NEAR(both.parts.comm_p2p->time_s / as_is.parts.comm_p2p->time_s, 0.5, 1e-9);
  EXPECT_NEAR(both.parts.comm_p2p->low_s / as_is.parts.comm_p2p->low_s, 0.5, 1e-9);
  EXPECT_NEAR(both.parts.comm_p2p->high_s / as_is.parts.comm_p2p->high_s, 0.5, 1e-9);
}

TEST(WhatIf, MessagesAndBytesThatGrowAlikeNeedTheMachine) {
  std::vector<PlantedRun> runs = {synthetic::halo_run(2), synthetic::halo_run(4),
                                  synthetic::halo_run(8)};
  for (PlantedRun& run : runs) run.p2p_s *= 1000;  // large enough to matter
  const Model model = fit_runs(runs);
  try {
    predict(model, at(64, with({{Knob::kLatency, factor(0.5)}})));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
    EXPECT_THAT(error.what(), HasSubstr("grow alike"));
    EXPECT_THAT(error.hint(), HasSubstr("--profiled-on"));
  }
  MachineFigures here;
  here.between_nodes.pieces = {{0, 8e-6, 1 / 1e9, 0}};
  const WhatIf asked = on_machine(with({{Knob::kLatency, value(4e-6)}}), 64, std::nullopt, here);
  const double as_is_s = predict(model, at(64)).parts.comm_p2p->time_s;
  // A message of 8192 bytes costs 8 us of latency and 1 ns a byte. The latency is nearly half of
  // this, and the what-if halves it.
  const double latency = 8e-6 / (8e-6 + 8192e-9);
  EXPECT_NEAR(predict(model, at(64, asked)).parts.comm_p2p->time_s / as_is_s, 1 - latency / 2,
              1e-6);
}

TEST(WhatIf, AProfileOfTheRunsWithoutTheNetworkAskedForIsNotDroppedInSilence) {
  const Model model =
      fit_runs({synthetic::halo_run(2), synthetic::halo_run(4), synthetic::halo_run(8)});
  MachineFigures here;
  here.name = "laptop";
  here.cores_per_node = 16;
  here.in_node.pieces = {{0, 1e-6, 1 / 1e9, 0}};
  const auto warnings = [&](int procs, const KnobChange& change) {
    return on_machine(with({{Knob::kLatency, change}}), procs, std::nullopt, here).warnings;
  };
  EXPECT_THAT(warnings(64, value(4e-6)),
              testing::ElementsAre(AllOf(HasSubstr("laptop"), HasSubstr("between nodes"))));
  EXPECT_THAT(warnings(16, value(4e-6)), testing::IsEmpty()) << "inside a node it is known";
  EXPECT_THAT(warnings(64, factor(0.5)), testing::IsEmpty()) << "a factor needs no profile";
  WhatIf asked = with({});
  asked.cores_per_node = 32;
  asked.warnings = {"said"};
  EXPECT_THAT(predict(model, at(64, asked)).warnings, testing::Contains("said"));
}

TEST(WhatIf, FrequencyChangesComputationOnlyAndSaysThatMemoryIsUnknown) {
  const Model model = square_model();
  const Prediction as_is = predict(model, at(256));
  const Prediction faster = predict(model, at(256, with({{Knob::kFrequency, factor(2)}})));
  EXPECT_NEAR(faster.parts.comp->time_s, as_is.parts.comp->time_s / 2, 1e-12);
  EXPECT_DOUBLE_EQ(faster.parts.comm_p2p->time_s, as_is.parts.comm_p2p->time_s);
  EXPECT_THAT(faster.warnings, Contains(HasSubstr("waiting for memory")));
}

TEST(WhatIf, WhatCannotBeToldEndsWithWhatIsMissing) {
  Model model = square_model();
  const auto refusal = [&](const WhatIf& what_if) -> std::string {
    try {
      predict(model, at(256, what_if));
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
      EXPECT_FALSE(error.hint().empty());
      return error.what();
    }
    return "answered";
  };
  EXPECT_THAT(refusal(with({{Knob::kMemoryLatency, factor(2)}})),
              HasSubstr("neither stalls nor accesses were counted"));
  model.grade = Grade::kB;
  EXPECT_THAT(refusal(with({{Knob::kMemoryLatency, factor(2)}})),
              HasSubstr("no kernel with a law of its own has counts"));
  EXPECT_THAT(refusal(with({{Knob::kFrequency, value(3e9)}})),
              HasSubstr("frequency of the runs is unknown"));
  std::vector<PlantedRun> runs = {blocks(4), blocks(16), blocks(64)};
  for (PlantedRun& run : runs) run.ops.clear();
  const Model uncounted = fit_runs(runs);
  try {
    predict(uncounted, at(256, with({{Knob::kLatency, factor(2)}})));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no message count explains"));
  }
}

TEST(WhatIf, StalledCyclesStayWhenTheCoreIsFaster) {
  const Model model = fit(make_experiment(counted(0.25)), synthetic::fit_options());
  const Prediction as_is = predict(model, at(256));
  const double comp_s = as_is.parts.comp->time_s;
  const double mem_s = as_is.parts.mem->time_s;
  EXPECT_NEAR(mem_s / (comp_s + mem_s), 0.25, 1e-4);
  const auto expect = [&](const WhatIf& what_if, double core, double memory) {
    const Prediction p = predict(model, at(256, what_if));
    EXPECT_NEAR(p.parts.comp->time_s / comp_s, core, 1e-4);
    EXPECT_NEAR(p.parts.mem->time_s / mem_s, memory, 1e-4);
    EXPECT_THAT(p.warnings, Contains(HasSubstr("waiting")).Times(0));
  };
  expect(with({{Knob::kFrequency, value(20e9)}}), 0.1, 1);
  expect(with({{Knob::kMemoryLatency, factor(3)}}), 1, 3);
  expect(with({{Knob::kFrequency, factor(2)}, {Knob::kMemoryLatency, factor(3)}}), 0.5, 3);
}

/// All kernels have a split by counts with these sets of costs, in which every count is 1.
Model model_with(const std::vector<MemorySplit::Costs>& ways) {
  Model model = square_model();
  Hypothesis one;
  one.terms = {{.coefficient = 1}};
  for (KernelModel& kernel : model.kernels) {
    kernel.law.split.emplace();
    kernel.law.split->from = "counts";
    kernel.law.split->core = kernel.law.split->unhidden = kernel.law.split->transfers = one;
    kernel.law.split->ways = ways;
  }
  return model;
}

TEST(WhatIf, ASplitTellsCoreFromMemory) {
  const Model model = model_with({{.core_s = 0.3e-9, .blocked = 0.1e-9}});
  const Prediction as_is = predict(model, at(256));
  const Prediction faster = predict(model, at(256, with({{Knob::kFrequency, factor(2)}})));
  EXPECT_NEAR(faster.parts.comp->time_s / as_is.parts.comp->time_s, 0.5, 1e-9);
  EXPECT_NEAR(faster.parts.mem->time_s / as_is.parts.mem->time_s, 1, 1e-9);
  const Prediction slower = predict(model, at(256, with({{Knob::kMemoryLatency, factor(3)}})));
  EXPECT_NEAR(slower.parts.comp->time_s / as_is.parts.comp->time_s, 1, 1e-9);
  EXPECT_NEAR(slower.parts.mem->time_s / as_is.parts.mem->time_s, 3, 1e-9);
}

TEST(WhatIf, EachDrawHasItsOwnCostsOfCoreAndMemory) {
  const Model model = model_with({{.core_s = 9, .blocked = 1}, {.core_s = 1, .blocked = 9}});
  const TimeEstimate before = *predict(model, at(256)).parts.computation;
  const TimeEstimate after =
      *predict(model, at(256, with({{Knob::kFrequency, factor(2)}}))).parts.computation;
  EXPECT_NEAR(after.low_s / before.low_s, 0.55, 0.01);
  EXPECT_NEAR(after.high_s / before.high_s, 0.95, 0.01);
}

TEST(WhatIf, MemoryLatencyAndBandwidthChangeTheirOwnCosts) {
  const auto model = [](const MemorySplit::Costs& costs) { return model_with({costs}); };
  // The time of all kernels with a change, over the time without it.
  const auto ratio = [&](const Model& m, const WhatIf& what_if) {
    const auto kernels_s = [&](const WhatIf& w) {
      const Prediction p = predict(m, at(256, w));
      EXPECT_THAT(p.warnings, Contains(HasSubstr("memory")).Times(0));
      return p.parts.comp->time_s + p.parts.mem->time_s;
    };
    return kernels_s(what_if) / kernels_s({});
  };
  const WhatIf slow_accesses = with({{Knob::kMemoryLatency, factor(3)}});
  const WhatIf half_the_bandwidth = with({{Knob::kMemoryBandwidth, factor(0.5)}});
  const Model of_accesses = model({.core_s = 3, .blocked = 1});
  EXPECT_NEAR(ratio(of_accesses, slow_accesses), 6.0 / 4, 1e-9);
  EXPECT_NEAR(ratio(of_accesses, half_the_bandwidth), 1, 1e-9);
  const Model of_transfers = model({.core_s = 3, .blocked = 0, .streamed = 4});
  EXPECT_NEAR(ratio(of_transfers, slow_accesses), 1, 1e-9);
  EXPECT_NEAR(ratio(of_transfers, half_the_bandwidth), 2, 1e-9);
  EXPECT_NEAR(ratio(of_transfers, with({{Knob::kMemoryBandwidth, factor(2)}})), 3.0 / 4, 1e-9)
      << "the core is then the limit";
  const Model of_late_prefetches = model({.core_s = 3, .exposed = 1});
  EXPECT_NEAR(ratio(of_late_prefetches, slow_accesses), 1, 1e-9);
  EXPECT_NEAR(ratio(of_late_prefetches, half_the_bandwidth), 5.0 / 4, 1e-9);
}

TEST(WhatIf, StallsDoNotTellMemoryBandwidthFromLatency) {
  const Model model = fit(make_experiment(counted(0.25)), synthetic::fit_options());
  const auto bandwidth = [](bool asked) {
    KnobChange change = factor(2);
    change.asked = asked;
    return at(256, with({{Knob::kMemoryBandwidth, change}}));
  };
  try {
    predict(model, bandwidth(true));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
    EXPECT_THAT(error.what(), HasSubstr("the memory's bandwidth limits"));
    EXPECT_THAT(error.hint(), HasSubstr("--mem-latency"));
  }
  EXPECT_THAT(predict(model, bandwidth(false)).warnings, Contains(HasSubstr("not used from the")));
  EXPECT_THAT(predict(model, at(256, with({{Knob::kMemoryLatency, factor(2)}}))).warnings,
              Contains(HasSubstr("the runs do not tell memory latency from bandwidth")));
}

TEST(WhatIf, AKernelWithoutAccessesToMemoryIsKnownNotToWaitForIt) {
  Model model = square_model();
  Hypothesis one;
  one.terms = {{.coefficient = 1}};
  for (KernelModel& kernel : model.kernels) {
    kernel.law.split.emplace();
    kernel.law.split->from = "counts";
    kernel.law.split->core = one;  // the other laws have no terms
    kernel.law.split->ways = {{.core_s = 1}};
  }
  const Prediction as_is = predict(model, at(256));
  for (const Knob knob : {Knob::kMemoryLatency, Knob::kMemoryBandwidth}) {
    const Prediction p = predict(model, at(256, with({{knob, factor(2)}})));
    EXPECT_DOUBLE_EQ(p.parts.comp->time_s, as_is.parts.comp->time_s);
    EXPECT_THAT(p.warnings, Contains(HasSubstr("memory")).Times(0));
  }
}

TEST(WhatIf, AMachineProfileWithOneFigureOfMemorySaysThatTheOtherStays) {
  const Model model = fit(make_experiment(counted(0.25)), synthetic::fit_options());
  MachineFigures here, there;
  here.name = "here";
  there.name = "new";
  here.memory.memory_s = 8e-8;
  there.memory.memory_s = 1.6e-7;
  const auto warnings = [&] {
    return predict(model, at(256, on_machine({}, 256, there, here))).warnings;
  };
  EXPECT_THAT(warnings(), Contains(HasSubstr("new has no memory bandwidth")));
  there.memory.memory_s.reset();
  here.memory.bandwidth = there.memory.bandwidth = {{1, 1e10}, {256, 1e11}};
  EXPECT_THAT(warnings(), Contains(HasSubstr("new has no memory latency")));
}

TEST(WhatIf, WhoWaitsForComputationWaitsLessWhenItIsFaster) {
  Model model = square_model();
  CommModel wait;
  wait.part = "wait";
  wait.law = model.kernels.front().law;  // waiting takes as long as the kernel
  wait.points = model.kernels.front().points;
  std::erase_if(model.comm, [](const CommModel& c) { return c.part == "wait"; });
  model.comm.push_back(wait);
  const Prediction as_is = predict(model, at(256));
  const Prediction faster = predict(model, at(256, with({{Knob::kFrequency, factor(2)}})));
  ASSERT_TRUE(as_is.parts.comm_wait.has_value());
  EXPECT_NEAR(faster.parts.comm_wait->time_s / as_is.parts.comm_wait->time_s, 0.5, 1e-9);
}

TEST(WhatIf, CoresPerNodeMoveTheBoundary) {
  std::vector<PlantedRun> runs = {blocks(4), blocks(16), blocks(64)};
  double error = 0.02;
  for (PlantedRun& run : runs) {
    run.cpus = 64;
    run.p2p_s *= 1 + (error = -error);
  }
  const Model model = fit_runs(runs);
  EXPECT_THAT(predict(model, at(256)).warnings, Contains(HasSubstr("(64 CPUs a node)")));
  const Prediction large = predict(model, at(256, with_cores(256)));
  EXPECT_THAT(large.warnings, Contains(HasSubstr("node boundary")).Times(0));
  EXPECT_EQ(large.assumptions.at(0).what, "cores per node");
  const auto width = [](const Prediction& p) {
    return p.parts.comm_p2p->high_s - p.parts.comm_p2p->low_s;
  };
  EXPECT_LT(width(large), 0.9 * width(predict(model, at(256)))) << "still on one node";
}

TEST(OnMachine, FiguresOfTheTargetBecomeChangesThatNobodyAskedFor) {
  MachineFigures there;
  there.name = "new";
  there.cores_per_node = 32;
  there.in_node.pieces = {{0, 3e-7, 1 / 1e10, 0}};
  there.between_nodes.pieces = {{0, 2e-6, 1 / 2e10, 0}};
  there.memory.frequency_hz = 3e9;
  there.memory.memory_s = 9e-8;
  EXPECT_DOUBLE_EQ(on_machine({}, 32, there, std::nullopt).of(Knob::kLatency)->amount, 3e-7);
  EXPECT_DOUBLE_EQ(on_machine({}, 33, there, std::nullopt).of(Knob::kLatency)->amount, 2e-6);
  EXPECT_DOUBLE_EQ(on_machine(with_cores(64), 33, there, {}).of(Knob::kLatency)->amount, 3e-7);
  EXPECT_DOUBLE_EQ(
      on_machine(with({{Knob::kLatency, factor(7)}}), 33, there, {}).of(Knob::kLatency)->amount, 7);
  MachineFigures here = there;
  here.memory.frequency_hz = 2e9;
  const WhatIf what_if = on_machine({}, 33, there, here);
  EXPECT_EQ(what_if.of(Knob::kFrequency)->kind, KnobChange::Kind::kFactor);
  EXPECT_DOUBLE_EQ(what_if.of(Knob::kFrequency)->amount, 1.5);
  EXPECT_DOUBLE_EQ(what_if.of(Knob::kLatency)->amount, 1);
  EXPECT_FALSE(what_if.of(Knob::kFrequency)->asked);
  // Figures that the model cannot use cause a warning, not an error.
  const Prediction p = predict(square_model(), at(256, on_machine({}, 256, there, {})));
  EXPECT_THAT(p.warnings, Contains(HasSubstr("not used from the machine profile new")));
  EXPECT_EQ(p.assumptions.size(), 3u);  // latency, bandwidth, cores
  EXPECT_FALSE(on_machine({}, 64, std::nullopt, std::nullopt).any());
}

TEST(OnMachine, MemoryBandwidthIsWhatEachProcessGets) {
  MachineFigures here;
  here.cores_per_node = 4;
  here.memory.bandwidth = {{1, 10e9}, {4, 20e9}};  // 10 GB/s alone, 5 GB/s each if all are busy
  MachineFigures there;
  there.cores_per_node = 16;
  there.memory.bandwidth = {{1, 20e9}, {4, 80e9}, {16, 160e9}};
  const auto factor_at = [&](int procs) {
    const WhatIf what_if = on_machine({}, procs, there, here);
    EXPECT_EQ(what_if.of(Knob::kMemoryBandwidth)->kind, KnobChange::Kind::kFactor);
    return what_if.of(Knob::kMemoryBandwidth)->amount;
  };
  EXPECT_DOUBLE_EQ(factor_at(1), 2);
  EXPECT_DOUBLE_EQ(factor_at(4), 4);
  EXPECT_DOUBLE_EQ(factor_at(16), 2);
  EXPECT_DOUBLE_EQ(factor_at(1000), 2);
  const WhatIf asked =
      on_machine(with({{Knob::kMemoryBandwidth, value(2.5e9)}}), 4, std::nullopt, here);
  EXPECT_DOUBLE_EQ(asked.of(Knob::kMemoryBandwidth)->amount, 0.5);
  there.memory.bandwidth = {{1, 20e9}};  // of a core that has the memory for itself
  EXPECT_DOUBLE_EQ(factor_at(1), 2);
  EXPECT_FALSE(on_machine({}, 4, there, here).of(Knob::kMemoryBandwidth));
  there.memory.bandwidth = {{1, 20e9}, {4, 80e9}};
  here.memory.bandwidth.clear();
  EXPECT_EQ(on_machine({}, 4, there, here).of(Knob::kMemoryBandwidth)->kind,
            KnobChange::Kind::kValue)
      << "unknown on the machine of the runs";
}

TEST(OnMachine, ReadsTheProfilesThatCalibrateWrites) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "machine.yaml";
  std::ofstream(file) << "format: apmt-machine\nformat_version: \"1.0\"\nname: new\n"
                         "provenance: measured\nsource: test\ncpu: test\ncores: 16\n"
                         "frequency_hz: [2.0e9]\nlevels:\n- name: memory\n  latency_ns: [90]\n"
                         "  bandwidth_bytes_per_s: [1.0e10]\n";
  const MachineFigures figures = read_machine_figures(file);
  EXPECT_EQ(figures.name, "new");
  EXPECT_EQ(figures.cores_per_node, 16);
  EXPECT_DOUBLE_EQ(*figures.memory.frequency_hz, 2e9);
  EXPECT_DOUBLE_EQ(*figures.memory.memory_s, 9e-8);
  EXPECT_THAT(figures.memory.bandwidth, testing::ElementsAre(std::pair(1, 1e10)));
  EXPECT_FALSE(figures.between_nodes.is_known());
}

}  // namespace
}  // namespace apmt
