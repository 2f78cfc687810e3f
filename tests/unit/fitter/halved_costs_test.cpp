// Tests of the time that is predicted if one cost, such as latency, is halved. The laws of the
// programs are known exactly.
#include "fitter/prediction/outlook.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

/// Reductions move no bytes, so that latency and bandwidth can be separated. MPI times are rounded
/// so that sums over the ranks are exact; otherwise rounding errors would appear as waiting.
synthetic::PlantedRun separable_run(int procs) {
  synthetic::PlantedRun run = synthetic::halo_run(procs);
  run.ops[1].bytes = 0;
  for (double* s : {&run.p2p_s, &run.coll_s}) *s = std::ldexp(std::round(std::ldexp(*s, 40)), -40);
  return run;
}

/// A program whose time consists of a kernel `sweep` (40 s / P), a kernel `serial` (0.2 s),
/// messages (each takes 2 us and 1 ns per byte), reductions, and 0.25 s for start and end.
class HalvedCosts : public ::testing::Test {
 protected:
  std::vector<HalvedCost> changes(const Scenario& scenario) const {
    return halved_costs(model_, predictor_, scenario);
  }
  std::vector<HalvedCost> changes() const { return changes(scenario_); }
  double now_s() const { return predictor_.predict(scenario_).time.time_s; }

  Model model_ = synthetic::fit_runs({separable_run(4), separable_run(8), separable_run(16)});
  Predictor predictor_{model_};
  Scenario scenario_{.procs = 64, .params = {}, .scaling = {}};
};

const HalvedCost* of_kernel(const std::vector<HalvedCost>& list, const Model& model,
                            const std::string& name) {
  for (const HalvedCost& c : list)
    if (c.of == HalvedCost::Of::kKernel && model.kernels.at(c.kernel).name == name) return &c;
  return nullptr;
}

const HalvedCost* of_machine(const std::vector<HalvedCost>& list, Knob knob) {
  for (const HalvedCost& c : list)
    if (c.of == HalvedCost::Of::kMachine && c.knob == knob) return &c;
  return nullptr;
}

TEST_F(HalvedCosts, AKernelSavesHalfOfItself) {
  const std::vector<HalvedCost> list = changes();
  const HalvedCost* sweep = of_kernel(list, model_, "sweep");
  const HalvedCost* serial = of_kernel(list, model_, "serial");
  ASSERT_TRUE(sweep != nullptr && serial != nullptr);
  EXPECT_NEAR(now_s() - sweep->time.time_s, 0.5 * 40 / 64, 1e-3);
  EXPECT_NEAR(now_s() - serial->time.time_s, 0.1, 1e-3);
  EXPECT_NEAR(sweep->saved, 0.5 * 40 / 64 / now_s(), 1e-3);
  EXPECT_LE(sweep->time.low_s, sweep->time.time_s);
  EXPECT_GE(sweep->time.high_s, sweep->time.time_s);
}

TEST_F(HalvedCosts, APartSavesHalfOfItself) {
  const Prediction now = predictor_.predict(scenario_);
  std::size_t parts = 0;
  for (const HalvedCost& c : changes()) {
    if (c.of != HalvedCost::Of::kPart) continue;
    ++parts;
    const double part_s = c.part == "comm_p2p_s"    ? now.parts.comm_p2p->time_s
                          : c.part == "comm_coll_s" ? now.parts.comm_coll->time_s
                          : c.part == "start_s"     ? now.parts.start->time_s
                          : c.part == "end_s"       ? now.parts.end->time_s
                                                    : -1;
    EXPECT_NEAR(now.time.time_s - c.time.time_s, 0.5 * part_s, 1e-9) << c.part;
  }
  EXPECT_EQ(parts, 4u) << "nothing else takes time";
}

TEST_F(HalvedCosts, TheMachineIsChangedAsTheWhatIfChangesIt) {
  Scenario asked = scenario_;
  asked.what_if.of(Knob::kLatency) = KnobChange{KnobChange::Kind::kFactor, 0.5};
  const std::vector<HalvedCost> list = changes();
  const HalvedCost* latency = of_machine(list, Knob::kLatency);
  ASSERT_NE(latency, nullptr);
  EXPECT_DOUBLE_EQ(latency->time.time_s, predictor_.predict(asked).time.time_s);
  EXPECT_EQ(of_machine(list, Knob::kMemoryLatency), nullptr) << "memory was not counted";
  EXPECT_EQ(of_machine(changes(asked), Knob::kLatency), nullptr) << "changed already";
}

TEST_F(HalvedCosts, TheLargestSavingComesFirst) {
  const std::vector<HalvedCost> list = changes();
  ASSERT_GT(list.size(), 4u);
  EXPECT_TRUE(std::is_sorted(list.begin(), list.end(),
                             [](const auto& a, const auto& b) { return a.saved > b.saved; }));
  for (const HalvedCost& c : list) {
    EXPECT_GT(c.saved, 0);
    EXPECT_LE(c.saved, 0.5);
  }
}

TEST_F(HalvedCosts, TheRestIsNoSingleChange) {
  std::vector<synthetic::PlantedRun> runs;
  for (const int p : {4, 8, 16}) {
    runs.push_back(synthetic::halo_run(p));
    for (int i = 0; i < 30; ++i) runs.back().kernel_s["small" + std::to_string(i)] = 0.002 / p;
  }
  const Model model = synthetic::fit_runs(runs);
  ASSERT_TRUE(std::any_of(model.kernels.begin(), model.kernels.end(),
                          [](const auto& k) { return k.role == KernelRole::kRest; }));
  for (const HalvedCost& c : halved_costs(model, Predictor(model), scenario_))
    EXPECT_FALSE(c.of == HalvedCost::Of::kKernel &&
                 model.kernels.at(c.kernel).role == KernelRole::kRest);
}

/// If counts hardly explain the times in MPI calls, nobody knows what half the latency would save.
TEST_F(HalvedCosts, TheNetworkHasNoneIfItsCostsAreDoubtful) {
  ASSERT_NE(of_machine(changes(), Knob::kLatency), nullptr);
  Model model = model_;
  for (CommModel& comm : model.comm) {
    if (comm.part != "p2p" && comm.part != "coll") continue;
    comm.law->kind = TimeLaw::Kind::kRecipe;
    for (CountFamily& family : comm.law->families) family.posterior *= 0.3;
  }
  const std::vector<HalvedCost> list = halved_costs(model, Predictor(model), scenario_);
  EXPECT_EQ(of_machine(list, Knob::kLatency), nullptr);
  EXPECT_EQ(of_machine(list, Knob::kBandwidth), nullptr);
  EXPECT_NE(of_kernel(list, model, "sweep"), nullptr);
}

}  // namespace
}  // namespace apmt
