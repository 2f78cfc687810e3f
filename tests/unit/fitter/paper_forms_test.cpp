// Tests of the forms of the APMT paper: they are found for a program that follows them, and for no
// other program.
#include "fitter/fit/paper_forms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "fitter/fit/fit.h"
#include "fitter/prediction/validate.h"
#include "tests/unit/fitter/sane.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using synthetic::PlantedRun;
using testing::Contains;
using testing::HasSubstr;
using testing::ThrowsMessage;

FitOptions of_paper() {
  FitOptions options = synthetic::fit_options();
  options.method = kPaperMethod;
  return options;
}

const PaperForm& form(const Model& model, const std::string& of) {
  for (const PaperForm& f : model.paper_forms)
    if (f.of == of) return f;
  throw std::out_of_range(of);
}

/// Follows the paper's forms: T_comp = a / P + b; T_p2p = a s + b, where s is the volume of a
/// process; T_coll = a log2 P + b s + c with b = 0. Starting and ending take
/// longer with more processes.
RunProfile run_at(int procs) {
  const double p = procs;
  const double volume = 1e6 / p;  // of one process
  PlantedRun run;
  run.procs = procs;
  run.sample_s = 1e-3;
  run.kernel_s = {{"sweep", 40 / p + 0.5}};
  run.ops = {{"MPI_Send", "p2p", 100 * p, volume * p}, {"MPI_Allreduce", "collective", 10 * p, 0}};
  run.p2p_s = 2e-6 * volume + 0.05;
  run.coll_s = 0.02 * std::log2(p) + 0.01;
  run.others_s = 0.1 + 0.01 * p;
  return synthetic::profile(run);
}

Model paper_model(const std::vector<int>& counts) {
  std::vector<RunProfile> runs;
  for (const int p : counts) runs.push_back(run_at(p));
  return fit(make_experiment(std::move(runs)), of_paper());
}

TEST(PaperForms, AreFoundWhereTheProgramFollowsThem) {
  const Model model = paper_model({2, 4, 8, 16});
  EXPECT_EQ(model.method, "paper");
  for (const char* of : {"sweep", "T_p2p", "T_collective", "T_start", "T_end"})
    EXPECT_NEAR(form(model, of).r_squared, 1, 1e-6) << of;
  EXPECT_THAT(form(model, "sweep").formula, HasSubstr("P^-1"));
  EXPECT_THAT(form(model, "T_collective").formula, HasSubstr("log2(P)"));
  const RunProfile truth = run_at(128);
  const Validation v = validate(model, make_experiment({truth})).front();
  ASSERT_TRUE(v.whole);
  EXPECT_NEAR(v.whole->error(), 0, 1e-3);
}

TEST(PaperForms, HaveNoIntervalAndSaySo) {
  const Model model = paper_model({2, 4, 8});
  const Prediction p = predict(model, {.procs = 64, .params = {}, .scaling = {}});
  EXPECT_NEAR(p.time.high_s / p.time.low_s, 1, 1e-4);
  EXPECT_THAT(model.warnings, Contains(HasSubstr("no interval")));
  expect_sane(p);
}

TEST(PaperForms, SayWhereTheyFallBelowZero) {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8}) {
    PlantedRun run;
    run.procs = procs;
    run.sample_s = 1e-3;
    run.kernel_s = {{"sweep", 4.0 / procs - 0.1}};
    runs.push_back(synthetic::profile(run));
  }
  const Model model = fit(make_experiment(std::move(runs)), of_paper());
  const auto warning = HasSubstr("falls below zero at 64 processes");
  EXPECT_THAT(predict(model, {.procs = 64, .params = {}, .scaling = {}}).warnings,
              Contains(warning));
  EXPECT_THAT(predict(model, {.procs = 16, .params = {}, .scaling = {}}).warnings,
              testing::Not(Contains(warning)));
}

TEST(PaperForms, ComeBackFromTheirFile) {
  const Model model = paper_model({2, 4, 8});
  const Model back = model_from_json(to_json(model), "a test");
  EXPECT_EQ(format_json(to_json(back)), format_json(to_json(model)));
  EXPECT_EQ(back.paper_forms.size(), model.paper_forms.size());
}

/// CPI_comp counts only the cycles without stalls; stalls are added as a separate time, stalls / f,
/// where f is the frequency of the core. The sum is the measured time at every point, whatever the
/// share of stalls is.
TEST(PaperForms, StalledCyclesAreApartFromTheRest) {
  std::vector<RunProfile> runs;
  for (const int p : {2, 4, 8}) {
    RunProfile run = run_at(p);
    const double s = 40.0 / p + 0.5;
    const auto add = [&](const char* name, double per_rank) {
      Counter& c = run.kernels.front().counters[name];
      c.provenance = Provenance::kHardware;
      c.unit_per_sample = 1;
      c.samples.assign(static_cast<std::size_t>(p),
                       static_cast<std::uint64_t>(std::llround(per_rank)));
    };
    add("cycles", 2e9 * s);
    add("instructions", 1e9 * s);
    add("stall", 0.4 * 2e9 * s);
    runs.push_back(run);
  }
  const Model model = fit(make_experiment(std::move(runs)), of_paper());
  EXPECT_THAT(form(model, "sweep").note, HasSubstr("CPI_comp + stalls"));
  for (const ModelPoint& point : model.points)
    EXPECT_NEAR(point.fitted_s / point.known_s, 1, 0.02) << point.procs;
  EXPECT_NEAR(predict(model, {.procs = 64, .params = {}, .scaling = {}}).kernels[0].time.time_s,
              40.0 / 64 + 0.5, 2e-2);
}

/// Instructions and accesses to memory fall differently, so the times show CPI_comp and BF_mem.
TEST(PaperForms, AccessesGiveCpiAndBlockingFactorOfAllLevels) {
  constexpr double kHz = 2e9, kCpi = 0.8, kBlocking = 0.4;
  FitOptions options = of_paper();
  options.memory = {.source = "planted machine",
                    .l1_cycles = 4,
                    .l2_cycles = 12,
                    .llc_s = 20e-9,
                    .memory_s = 100e-9,
                    .frequency_hz = kHz,
                    .bandwidth = {}};
  const auto instructions = [](double p) { return 1e10 / p + 1e9; };  // of a process
  const auto misses = [](double p) { return 4e7 / p; };
  const auto time_s = [&](double p) {
    const double memory_s = 0.25 * instructions(p) * 4 / kHz + misses(p) * (0.5 * 20e-9 + 100e-9);
    return instructions(p) * kCpi / kHz + kBlocking * memory_s;
  };
  std::vector<RunProfile> runs;
  for (const int p : {2, 4, 8}) {
    PlantedRun planted;
    planted.procs = p;
    planted.kernel_s = {{"sweep", time_s(p)}};
    RunProfile run = synthetic::profile(planted);
    KernelProfile& sweep = run.kernels.front();
    const auto add = [&](const char* name, double per_rank) {
      Counter& c = sweep.counters[name];
      c.provenance = Provenance::kSimulated;
      c.unit_per_sample = 1;
      c.samples.assign(static_cast<std::size_t>(p),
                       static_cast<std::uint64_t>(std::llround(per_rank)));
    };
    add("instructions", instructions(p));
    add("hit_core", 0.25 * instructions(p));
    add("hit_LLC", 0.5 * misses(p));
    add("acc_mm", misses(p));
    runs.push_back(run);
  }
  const Model model = fit(make_experiment(runs), options);
  EXPECT_THAT(form(model, "sweep").note, HasSubstr("CPI_comp 0.8, BF_mem 0.4"));
  EXPECT_NEAR(predict(model, {.procs = 64, .params = {}, .scaling = {}}).kernels[0].time.time_s,
              time_s(64), 0.01 * time_s(64));

  // If accesses fall as instructions do, nothing shows which of them take the time.
  std::vector<RunProfile> alike = runs;
  for (RunProfile& run : alike)
    for (const char* level : {"hit_core", "hit_LLC", "acc_mm"}) {
      KernelProfile& sweep = run.kernels.front();
      sweep.counters[level].samples = sweep.counters["instructions"].samples;
    }
  EXPECT_THAT(form(fit(make_experiment(alike), options), "sweep").note,
              HasSubstr("instructions * CPI,"));

  options.memory.llc_s.reset();
  EXPECT_THAT(form(fit(make_experiment(runs), options), "sweep").note,
              HasSubstr("instructions * CPI,"));
}

TEST(PaperForms, TwoSizesGoThroughTheWorkOfAProcess) {
  std::vector<RunProfile> runs;
  for (const double n : {100.0, 200.0})
    for (const int p : {2, 4, 8}) {
      PlantedRun run;
      run.procs = p;
      run.params = {{"n", n}};
      run.sample_s = 1e-3;
      run.kernel_s = {{"sweep", 0.4 * n / p + 0.5}};
      runs.push_back(synthetic::profile(run));
    }
  const Model model = fit(make_experiment(std::move(runs)), of_paper());
  const Prediction p = predict(model, {.procs = 64, .params = {{"n", 800}}, .scaling = {}});
  EXPECT_NEAR(p.kernels[0].time.time_s, 0.4 * 800 / 64 + 0.5, 1e-2);
}

TEST(PaperForms, AnotherMethodIsRefused) {
  FitOptions options = of_paper();
  options.method = "guess";
  EXPECT_THAT([&] { check_options(options); }, ThrowsMessage<InputError>(HasSubstr("guess")));
}

}  // namespace
}  // namespace apmt
