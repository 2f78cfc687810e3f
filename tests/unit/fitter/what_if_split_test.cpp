// Tests of how a what-if with another network divides a time that no counts of messages explain.
#include <gtest/gtest.h>

#include <cmath>

#include "fitter/prediction/prediction.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::PlantedRun;

/// Time in messages that falls as P^-0.6: faster than the bytes per rank, and the messages per rank
/// are constant.
PlantedRun falling(int procs) {
  PlantedRun run;
  run.procs = procs;
  run.kernel_s = {{"sweep", 64.0 / procs}};
  run.ops = {{"MPI_Isend", "p2p", 1e5 * procs, 1e9 * std::sqrt(procs)}};
  run.p2p_s = 2 / std::pow(procs, 0.6);
  run.sample_s = 0.001;
  return run;
}

TimeEstimate messages(const Model& model, double latency, double bandwidth) {
  Scenario scenario{.procs = 128};
  scenario.what_if.of(Knob::kLatency) = KnobChange{KnobChange::Kind::kFactor, latency};
  scenario.what_if.of(Knob::kBandwidth) = KnobChange{KnobChange::Kind::kFactor, bandwidth};
  return predict(model, scenario).parts.comm_p2p.value();
}

TEST(WhatIfSplit, OfATimeThatNoCountsExplainIsUnknown) {
  std::vector<PlantedRun> runs;
  for (const int p : {16, 32, 64})
    for (int r = 1; r <= 3; ++r) {
      runs.push_back(falling(p));
      runs.back().repetition = r;
      runs.back().p2p_s *= 1 + 0.1 * (r - 2);
    }
  const Model model = synthetic::fit_runs(runs);
  const TimeEstimate as_run = messages(model, 1, 1);
  // Nearly all of the time may be latency, or hardly any.
  for (const TimeEstimate& t : {messages(model, 0.1, 1), messages(model, 1, 10)}) {
    EXPECT_LT(t.low_s, 0.35 * as_run.time_s);
    EXPECT_GT(t.high_s, 0.8 * as_run.time_s);
  }
  // What makes latency and bytes cheaper by the same factor makes all messages so.
  const TimeEstimate both = messages(model, 0.1, 10);
  EXPECT_NEAR(both.low_s / as_run.low_s, 0.1, 1e-9);
  EXPECT_NEAR(both.high_s / as_run.high_s, 0.1, 1e-9);
}

/// Three runs at each of three process counts, whose communication `add` plants.
template <typename Add>
Model model_with(Add add) {
  std::vector<PlantedRun> runs;
  for (const int p : {2, 4, 8})
    for (int r = 1; r <= 3; ++r) {
      PlantedRun run;
      run.procs = p;
      run.repetition = r;
      run.kernel_s = {{"sweep", 1.0 / p * (1 + 0.02 * (r - 2))}};
      add(&run);
      runs.push_back(run);
    }
  return synthetic::fit_runs(runs);
}

/// Without bytes worth mentioning, the whole cost of a message is latency, also in draws of curves.
/// (On a virtual cluster, messages always take the same time, and computation does not.)
TEST(WhatIfSplit, OfMessagesThatMoveFewBytesIsLatency) {
  for (const double noise : {0.0, 0.05}) {
    const Model model = model_with([&](PlantedRun* run) {
      const int p = run->procs;
      run->ops = {{"MPI_Sendrecv", "p2p", 9e3 * p, 72e3 * p}};
      run->p2p_s = (0.135 + 1e-6 * p) * (1 + noise * (run->repetition - 2));
    });
    const TimeEstimate as_run = messages(model, 1, 1);
    EXPECT_LT(as_run.low_s, 0.998 * as_run.time_s);  // a law through three points proves little
    EXPECT_NEAR(messages(model, 0.5, 1).time_s / as_run.time_s, 0.5, 1e-9);
    EXPECT_NEAR(messages(model, 1, 2).time_s / as_run.time_s, 1, 1e-9);
  }
}

TEST(WhatIfSplit, OfReductionsOfOneNumberIsLatency) {
  const Model model = model_with([](PlantedRun* run) {
    const int p = run->procs;
    run->ops = {{"MPI_Allreduce", "collective", 1e3 * p, 8e3 * p}};
    run->coll_s = 0.02 * std::log2(p) * (1 + 0.02 * (run->repetition - 2));
  });
  const auto collectives_s = [&](double latency) {
    WhatIf what_if;
    what_if.of(Knob::kLatency) = {KnobChange::Kind::kFactor, latency};
    return predict(model, {.procs = 64, .params = {}, .scaling = {}, .what_if = what_if})
        .parts.comm_coll->time_s;
  };
  EXPECT_NEAR(collectives_s(0.5) / collectives_s(1), 0.5, 1e-9);
}

/// With one profiled problem size, bytes of a larger problem still grow, and messages do not.
TEST(WhatIfSplit, OfAnotherProblemSizeHasItsBytes) {
  std::vector<PlantedRun> runs;
  for (const int p : {4, 16, 64}) {
    PlantedRun& run = runs.emplace_back();
    run.procs = p;
    run.params = {{"n", 1000}};
    run.kernel_s = {{"sweep", 64.0 / p}};
    run.ops = {{"MPI_Isend", "p2p", 4e5 * p, 4e9 * std::sqrt(p)}};
    run.p2p_s = 4e-6 * 4e5 + 2e-9 * 4e9 / std::sqrt(p);
  }
  const Model model = synthetic::fit_runs(runs);
  for (const double n : {1000.0, 8000.0}) {
    const Prediction p = predict(model, {.procs = 64, .params = {{"n", n}}});
    EXPECT_NEAR(p.p2p_latency.value() * p.parts.comm_p2p->time_s, 4e-6 * 4e5, 1e-3) << n;
  }
  EXPECT_GT(predict(model, {.procs = 64, .params = {{"n", 8000}}}).parts.comm_p2p->time_s,
            1.5 * predict(model, {.procs = 64}).parts.comm_p2p->time_s);
}

TEST(WhatIfSplit, ByAProfileOfTheMachineKnowsTheBytesOfAnotherSize) {
  std::vector<PlantedRun> runs = {synthetic::halo_run(2), synthetic::halo_run(4),
                                  synthetic::halo_run(8)};
  for (PlantedRun& run : runs) run.p2p_s *= 1000;  // large enough to matter
  const Model model = synthetic::fit_runs(runs);
  const auto messages_s = [&](double latency) {
    Scenario scenario{.procs = 64, .params = {{"n", 4096}}};
    scenario.what_if.profiled_latency_s = 8e-6;
    scenario.what_if.profiled_bandwidth_bytes_per_s = 1e9;
    scenario.what_if.of(Knob::kLatency) = KnobChange{KnobChange::Kind::kFactor, latency};
    return predict(model, scenario).parts.comm_p2p->time_s;
  };
  // A message has 8 n bytes.
  EXPECT_NEAR(messages_s(0.5) / messages_s(1), 1 - 0.5 * 8e-6 / (8e-6 + 8 * 4096e-9), 1e-6);
}

/// The time after MPI_Finalize begins is a second of waiting, longer in a larger problem, and a
/// second of delays.
TEST(WhatIfSplit, OfTheEndHasMoreWaitingInALargerProblem) {
  Model model = model_with([](PlantedRun* run) { run->params = {{"n", 1000}}; });
  Hypothesis one_each;
  one_each.terms = {{.coefficient = 1, .p_exponent = 1}};
  CountFamily waiting{.name = "waiting", .prior = 1, .posterior = 1, .features = {}};
  for (const char* name : {"excess", "delays"}) {
    Feature& feature = waiting.features.emplace_back();
    feature.name = name;
    feature.counts = {one_each};
    feature.cost = 1;
  }
  waiting.features.front().size_exponent = 1;
  model.end.law->kind = TimeLaw::Kind::kUnitCosts;
  model.end.law->families = {waiting};
  const auto end_s = [&](double n, double frequency) {
    Scenario scenario{.procs = 8, .params = {{"n", n}}};
    scenario.what_if.of(Knob::kFrequency) = KnobChange{KnobChange::Kind::kFactor, frequency};
    return predict(model, scenario).parts.end->time_s;
  };
  EXPECT_NEAR(end_s(1000, 1), 2, 1e-3);
  EXPECT_NEAR(end_s(1000, 2), 1.5, 1e-3);
  EXPECT_GT(end_s(8000, 1), 3);
  EXPECT_NEAR(end_s(8000, 2), (end_s(8000, 1) - 1) / 2 + 1, 1e-3);
}

}  // namespace
}  // namespace apmt
