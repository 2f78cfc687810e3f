// Tests that cards, analyses and models that do not fit together are refused with a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "devices/offload/offload.h"
#include "tests/unit/offload/planted.h"

namespace apmt::devices {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace testing;

const Model& usual_model() {
  static const Model model = planted_model(planted_experiment());
  return model;
}

/// Why the program cannot be judged; empty if it can.
std::string refusal(const Experiment& e, const Device& device = planted_device(), int procs = 64,
                    DataPlace data = DataPlace::kResident, const Model& model = usual_model()) {
  OffloadOptions options{.port = {}, .per_node = 64};
  options.port.data = data;
  try {
    offload(model, e, device, {at(procs)}, options);
  } catch (const InputError& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return {};
}

TEST(Refusals, AWholeSetIsAnswered) { EXPECT_EQ(refusal(planted_experiment()), ""); }

TEST(Refusals, NoAnalysis) {
  EXPECT_THAT(refusal(planted_experiment({})), HasSubstr("no run has an analysis of its kernels"));
}

TEST(Refusals, AnotherKernel) {
  Experiment e = planted_experiment();
  for (AnalysedSize& a : e.analyses) {
    a.analysis.kernels.resize(1);
    a.analysis.kernels[0].function = a.analysis.kernels[0].name = "elsewhere";
  }
  EXPECT_THAT(refusal(e),
              HasSubstr("the analyses are of other kernels (elsewhere) than the model"));
  for (AnalysedSize& a : e.analyses) {
    a.analysis.kernels[0].function = a.analysis.kernels[0].name = "sweep";
    a.analysis.kernels[0].file = "another.cpp";
  }
  EXPECT_THAT(refusal(e), HasSubstr("other kernels"));
}

TEST(Refusals, AModelOfTheRestOnly) {
  Model short_runs = planted_model(planted_experiment());
  short_runs.kernels.resize(1);
  short_runs.kernels[0].role = KernelRole::kRest;
  EXPECT_THAT(
      refusal(planted_experiment(), planted_device(), 64, DataPlace::kResident, short_runs),
      HasSubstr("no kernel of the model has a law: its runs probably have too few samples"));
}

TEST(Refusals, AnotherProgram) {
  Experiment e = planted_experiment();
  e.program = "another";
  EXPECT_THAT(refusal(e), HasSubstr("the runs are of another, the model of planted"));
}

TEST(Refusals, ASingleSizeBeyondIt) {
  EXPECT_EQ(refusal(planted_experiment({8}), planted_device(), 8), "");
  const std::string why = refusal(planted_experiment({8}), planted_device(), 16);
  EXPECT_THAT(why, HasSubstr("it was analysed with 5.243e+05 of work per rank only"));
  EXPECT_THAT(why, HasSubstr("an analysis of a second size gives a law"));
}

TEST(Refusals, AnalysesOfAnotherProcessCountOrInput) {
  Experiment e = planted_experiment();
  e.analyses[0].analysis.processes = 4;
  EXPECT_THAT(refusal(e), HasSubstr("in a run with 2 processes was made with 4"));
  e.analyses[0].analysis.processes = 2;
  for (RunProfile& run : e.runs) run.command = "planted 4194304";
  for (AnalysedSize& a : e.analyses) a.analysis.program = "planted-analysed 1000";
  EXPECT_THAT(refusal(e), HasSubstr("is of another input: 'planted-analysed 1000'"));
  for (AnalysedSize& a : e.analyses) a.analysis.program = "planted-analysed 4194304";
  EXPECT_EQ(refusal(e), "");
}

TEST(Refusals, AnalysesOfOneThreadOfSeveral) {
  Experiment e = planted_experiment();
  for (ExperimentPoint& p : e.points) p.threads_per_rank = 4;
  EXPECT_THAT(refusal(e), HasSubstr("followed one thread, and each rank had 4"));
}

TEST(Refusals, NoFootprint) {
  Experiment e = planted_experiment();
  for (AnalysedSize& a : e.analyses)
    for (kernels::KernelAnalysis& kernel : a.analysis.kernels) kernel.locality.reset();
  EXPECT_THAT(refusal(e), HasSubstr("lacks stack distances, which give its footprint"));
  // If one kernel has no stack distances, it is left on the host; the other can still be judged.
  Experiment one = planted_experiment();
  for (AnalysedSize& a : one.analyses) a.analysis.kernels[0].locality.reset();
  EXPECT_EQ(refusal(one), "");
  EXPECT_THAT(portables_of(one, planted_model(planted_experiment())).left,
              Contains(HasSubstr("sweep stays on the host: its analysis lacks stack distances")));
}

TEST(Refusals, NoFootprintOfDataThatMove) {
  Experiment e = planted_experiment();
  for (AnalysedSize& a : e.analyses)
    for (kernels::KernelAnalysis& kernel : a.analysis.kernels) kernel.loops.clear();
  EXPECT_EQ(refusal(e), "");
  EXPECT_THAT(refusal(e, planted_device(), 64, DataPlace::kPerCall), HasSubstr("lacks footprints"));
}

TEST(Refusals, ACardWithoutAFigure) {
  const Experiment e = planted_experiment();
  Device card = planted_device();
  card.launch_s.reset();
  card.to_device = {};
  const std::string why = refusal(e, card);
  EXPECT_THAT(why, HasSubstr("has no cost of a launch and bandwidth to the device"));
  EXPECT_THAT(why, HasSubstr("copy of the card"));
  card = planted_device();
  card.in_double.peak_all.reset();
  card.slow_bytes_per_s.reset();
  EXPECT_THAT(refusal(e, card), HasSubstr("no peak rate and bandwidth of the slow memory"));
  card = planted_device();
  card.memory_bytes = figure(1e6);
  EXPECT_THAT(refusal(e, card, 2), HasSubstr("GB on each device, which has 0.001 GB"));
  // A CPU needs neither link nor launches.
  Device cpu = planted_device();
  cpu.kind = "cpu";
  cpu.launch_s.reset();
  cpu.to_device = cpu.from_device = {};
  EXPECT_EQ(refusal(e, cpu), "");
}

TEST(Refusals, AModelOfTotalsOrWithoutNodes) {
  const Experiment e = planted_experiment();
  Model model = planted_model(e);
  model.cores_per_node = 0;
  EXPECT_THROW(offload(model, e, planted_device(), {at(64)}, {}), InputError);
  model = planted_model(e);
  model.kernels.clear();
  EXPECT_THROW(portables_of(e, model), InputError);
}

}  // namespace
}  // namespace apmt::devices
