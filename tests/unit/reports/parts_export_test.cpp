// Tests that exports (formulas, Prometheus, JSON) give the same parts of kernels as apmt predict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "fitter/fit/fit.h"
#include "fitter/prediction/model_formulas.h"
#include "reports/formula_text.h"
#include "reports/profile_export.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kClock_hz = 2e9;

/// "sweep" computes, waits for memory and for its neighbours; "solve" only computes.
RunProfile run_of(int procs) {
  synthetic::PlantedRun run;
  run.procs = procs;
  run.kernel_s = {{"sweep", 8.0 / procs}, {"solve", 4.0 / procs}};
  run.p2p_s = 0.055;
  const double calls = 100.0 * procs;
  run.ops = {{"MPI_Sendrecv", "p2p", calls, 8 * calls}, {"MPI_Sendrecv", "p2p", calls, 8 * calls}};
  RunProfile profile = synthetic::profile(run);
  profile.config.frequency_hz = kClock_hz;
  for (KernelProfile& kernel : profile.kernels) {
    if (kernel.name != "sweep") continue;
    const auto count = [&](const char* metric, double all) {
      Counter& c = kernel.counters[metric];
      c.provenance = Provenance::kHardware;
      c.unit_per_sample = 1;
      c.samples.assign(static_cast<std::size_t>(procs),
                       static_cast<std::uint64_t>(std::llround(all / procs)));
    };
    count("instructions", 8 * kClock_hz);  // a quarter of the cycles stalls
    count("cycles", 8 * kClock_hz);
    count("stall", 2 * kClock_hz);
  }
  const char* const callers[] = {"sweep", "main"};
  const double seconds[] = {0.05, 0.005};  // of equal calls, so 0.045 s of the first are waiting
  for (const std::size_t row : {0, 1}) {
    profile.mpi[row].caller = callers[row];
    profile.mpi[row].time_s = profile.mpi[row].blocked_s = seconds[row] * procs;
  }
  return profile;
}

Model planted_model() {
  std::vector<RunProfile> runs;
  for (const int procs : {2, 4, 8, 16}) runs.push_back(run_of(procs));
  return fit(make_experiment(std::move(runs)), synthetic::fit_options());
}

std::map<std::string, double> parts_of(const PredictedKernel& k) {
  std::map<std::string, double> parts;
  for (const auto& [part, time] :
       {std::pair("computation", &k.comp), std::pair("memory", &k.mem),
        std::pair("messages", &k.transfer), std::pair("waiting", &k.wait)})
    if (*time) parts[k.name + ", " + part] = (*time)->time_s;
  return parts;
}

std::map<std::string, double> predicted_parts(const Prediction& p) {
  std::map<std::string, double> all;
  for (const PredictedKernel& k : p.kernels) all.merge(parts_of(k));
  return all;
}

TEST(PartsExport, ThePlantedPartsArePredicted) {
  const Prediction p = predict(planted_model(), {.procs = 32, .params = {}, .scaling = {}});
  const std::map<std::string, double> parts = predicted_parts(p);
  EXPECT_NEAR(parts.at("sweep, computation") + parts.at("sweep, memory"), 0.25, 1e-6);
  EXPECT_GT(parts.at("sweep, memory"), 0.01);
  EXPECT_NEAR(parts.at("sweep, messages"), 0.005, 1e-6);
  EXPECT_NEAR(parts.at("sweep, waiting"), 0.045, 1e-6);
  EXPECT_FALSE(parts.contains("solve, memory"));
}

TEST(PartsExport, FormulasSayWhatPredictSays) {
  const Model model = planted_model();
  const ModelFormulas formulas = formulas_of(model);
  for (const int procs : {4, 32, 512}) {
    std::map<std::string, double> parts =
        predicted_parts(predict(model, {.procs = procs, .params = {}, .scaling = {}}));
    std::erase_if(parts, [](const auto& part) { return part.second == 0; });
    for (const TimeFormula& f : formulas.kernel_parts) {
      ASSERT_TRUE(parts.contains(f.name)) << f.name;
      EXPECT_NEAR(f.value(procs) / parts.at(f.name), 1, f.off + 1e-6) << f.name << " at " << procs;
      EXPECT_LT(f.off, 0.02) << f.name;
      parts.erase(f.name);
    }
    EXPECT_TRUE(parts.empty()) << parts.begin()->first << " has no formula";
  }
}

TEST(PartsExport, FormulasInTextNameEveryPart) {
  const ModelFormulas formulas = formulas_of(planted_model());
  ASSERT_FALSE(formulas.kernel_parts.empty());
  for (const TimeFormula& f : formulas.kernel_parts) {
    EXPECT_THAT(formulas_as_python(formulas), HasSubstr(f.name));
    EXPECT_THAT(formulas_as_latex(formulas), HasSubstr(f.name));
    EXPECT_THAT(formulas_as_extrap_text(formulas), HasSubstr(f.name));
  }
}

TEST(PartsExport, PrometheusSaysWhatPredictSays) {
  const Model model = planted_model();
  const Prediction p = predict(model, {.procs = 32, .params = {}, .scaling = {}});
  std::map<std::string, double> parts = predicted_parts(p);
  std::istringstream lines(render_prometheus(model, {p}));
  const std::regex sample(
      R"re(apmt_predicted_kernel_seconds\{.*procs="32".*kernel="([^"]*)",part="([^"]*)"\} (.*))re");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, sample)) continue;
    const std::string name = found[1].str() + ", " + found[2].str();
    ASSERT_TRUE(parts.contains(name)) << line;
    EXPECT_DOUBLE_EQ(std::stod(found[3]), parts.at(name)) << line;
    parts.erase(name);
  }
  EXPECT_TRUE(parts.empty()) << parts.begin()->first << " was not exported";
}

TEST(PartsExport, JsonSaysWhatPredictSays) {
  const Prediction p = predict(planted_model(), {.procs = 32, .params = {}, .scaling = {}});
  const Json kernels = to_json(p).at("kernels");
  ASSERT_EQ(kernels.size(), p.kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const PredictedKernel& k = p.kernels[i];
    EXPECT_EQ(kernels[i].at("name"), k.name);
    for (const auto& [key, time] :
         {std::pair("comp_s", &k.comp), std::pair("mem_s", &k.mem),
          std::pair("transfer_s", &k.transfer), std::pair("wait_s", &k.wait)}) {
      ASSERT_EQ(kernels[i].at(key).is_null(), !time->has_value()) << k.name << " " << key;
      if (*time) {
        EXPECT_EQ(kernels[i].at(key).get<double>(), (*time)->time_s) << k.name << " " << key;
      }
    }
  }
}

}  // namespace
}  // namespace apmt
