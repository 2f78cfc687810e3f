// Tests counters simulated by callgrind, from recordings to profiles.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include "command.h"
#include "machine/topology.h"
#include "profiler/simulated/callgrind_file.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;

class Simulated : public ::testing::Test {
 protected:
  void SetUp() override {
    if (folder_.run("valgrind --version").exit_code != 0)
      GTEST_SKIP() << "valgrind is not installed";
  }
  /// Records halo2d on one and two processes; `size`: "700 80", the points of a side and the steps.
  /// Small sizes take a few milliseconds, so samples must be frequent for every kernel to be seen.
  void record_halo2d(int repetitions, const std::string& size) {
    const Output run = folder_.run("apmt run --procs 1,2 --reps " + std::to_string(repetitions) +
                                   " --interval 0.5 -- " + openmpi().run + " {p} " +
                                   openmpi().examples + "/halo2d " + size);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  Folder folder_;
};

Json counters_of(const Json& profile, const std::string& name) {
  for (const Json& kernel : profile.at("kernels"))
    if (kernel.at("name") == name) return kernel.at("counters");
  ADD_FAILURE() << "no kernel " << name;
  return Json::object();
}

double total(const Json& counters, const std::string& metric) {
  return counters.at(metric).at("total").get<double>();
}

TEST_F(Simulated, AWindowTellsWhatTheWholeRunWould) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  const std::string launch = openmpi().run + " 2 " + openmpi().examples + "/halo2d 700 320";
  const Output window = folder_.run("apmt record --counters simulated " + launch);
  ASSERT_EQ(window.exit_code, 0) << window.err;
  EXPECT_THAT(window.err, HasSubstr("simulating 12 of 320 rounds"));
  const Output whole =
      folder_.run("apmt record --counters simulated --sample-iterations 0 " + launch);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_THAT(whole.err, HasSubstr("simulating the whole run"));

  const Json a = folder_.json("apmt info --json apmt-halo2d/apmt-halo2d.p2.r1");
  const Json b = folder_.json("apmt info --json apmt-halo2d/apmt-halo2d.p2.r2");
  EXPECT_EQ(a.at("grade"), "B");
  EXPECT_EQ(b.at("grade"), "B");
  const Json few = counters_of(a, "jacobi_sweep");
  const Json all = counters_of(b, "jacobi_sweep");
  EXPECT_EQ(all.at("instructions").at("provenance"), "simulated");
  EXPECT_EQ(all.at("cpu_s").at("provenance"), "clock");
  // The program updates 700 x 700 points, 320 times; each update takes at least three instructions.
  EXPECT_GT(total(all, "instructions"), 3.0 * 700 * 700 * 320);
  EXPECT_NEAR(total(few, "instructions") / total(all, "instructions"), 1, 0.001);
  EXPECT_NEAR(total(few, "hit_core") / total(all, "hit_core"), 1, 0.01);
  // Only the two runs are left; temporary folders are removed.
  EXPECT_EQ(folder_.run("ls -A apmt-halo2d | grep -v '^apmt-'").out, "");
}

TEST_F(Simulated, ARebuiltProgramIsRefused) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  ASSERT_EQ(folder_
                .run("cp " + openmpi().examples +
                     "/halo2d app && apmt run --procs 1 --reps 1 -d e "
                     "-- " +
                     openmpi().run + " {p} ./app 60 10")
                .exit_code,
            0);
  folder_.run("cp " + openmpi().examples + "/amdahl app");
  for (const std::string path : {"e", "e/apmt-app.p1.r1"}) {
    const Output refused = folder_.run("apmt simulate " + path);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr("e/apmt-app.p1.r1: recorded before this file changed: "));
    EXPECT_THAT(refused.err, HasSubstr("the counts would be of another program"));
  }
}

TEST_F(Simulated, AnExperimentIsSimulatedPointByPoint) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  record_halo2d(2, "700 80");
  const Output output = folder_.run("apmt simulate apmt-halo2d");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto grade = [&](const std::string& run) {
    return folder_.json("apmt info --json apmt-halo2d/apmt-halo2d." + run).at("grade");
  };
  EXPECT_EQ(grade("p1.r1"), "B");
  EXPECT_EQ(grade("p2.r1"), "B");
  EXPECT_EQ(grade("p1.r2"), "C");
  EXPECT_EQ(grade("p2.r2"), "C");
  // Counts are the same in every repetition, so those of the first repetition serve for all.
  const Output fit = folder_.run("apmt fit apmt-halo2d");
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_EQ(folder_.json("cat apmt-halo2d/model.json").at("grade"), "B");
}

TEST_F(Simulated, LargerCachesShowWhatMoreProcessesWillFindInTheirs) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  const std::vector<Cache> caches = caches_here();
  if (caches.size() < 2) GTEST_SKIP() << "the kernel reports " << caches.size() << " caches";
  // On two processes, the two arrays of a process take twice the core's largest cache. Three
  // quarters of it are simulated: twice as much is still too small for them, four times is enough.
  const double core_bytes = static_cast<double>(caches[caches.size() - 2].size_bytes);
  // On some virtual machines the sampler is interrupted only every 4 ms, so the run must be longer.
  record_halo2d(1, std::to_string(std::lround(std::sqrt(core_bytes / 4))) + " 240");
  ASSERT_EQ(folder_.run("apmt simulate apmt-halo2d --prefetcher").exit_code, 0);
  for (const auto& [options, why] :
       {std::pair("apmt-halo2d/apmt-halo2d.p2.r1 --ahead 8", "--ahead needs an experiment"),
        {"apmt-halo2d --ahead 2", "no problem size was run at two or more process counts"}}) {
    const Output refused = folder_.run(std::string("apmt simulate ") + options);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr(why));
  }
  const Output output = folder_.run("apmt simulate apmt-halo2d --ahead 8");
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const auto beyond_core = [](const Json& counts) {
    return counts.at("hit_LLC").get<double>() + counts.at("acc_mm").get<double>();
  };
  std::map<std::string, std::vector<double>> factors;
  for (const std::string run : {"p1.r1", "p2.r1"}) {
    const Json profile = folder_.json("cat apmt-halo2d/apmt-halo2d." + run + "/profile.json");
    for (const Json& kernel : profile.at("kernels")) {
      if (kernel.at("name") != "jacobi_sweep") continue;
      const Json& counters = kernel.at("counters");
      EXPECT_FALSE(counters.contains("acc_mm_demand")) << "of the first simulation";
      const double real = total(counters, "hit_LLC") + total(counters, "acc_mm");
      for (const Json& larger : kernel.at("larger_caches")) {
        factors[run].push_back(larger.at("factor"));
        if (factors[run].back() == 4)
          EXPECT_LT(beyond_core(larger.at("counts")), 0.5 * real);
        else
          EXPECT_NEAR(beyond_core(larger.at("counts")) / real, 1, 0.1);
      }
    }
  }
  EXPECT_EQ(factors["p1.r1"], (std::vector<double>{2}));
  EXPECT_EQ(factors["p2.r1"], (std::vector<double>{2, 4}));
  EXPECT_EQ(folder_.run("apmt fit apmt-halo2d").exit_code, 0);
  // A later simulation without larger caches leaves none of the old ones.
  ASSERT_EQ(folder_.run("apmt simulate apmt-halo2d").exit_code, 0);
  EXPECT_EQ(folder_.run("grep -l larger_caches apmt-halo2d/*/profile.json").out, "");
}

TEST_F(Simulated, SaysWhyItCannot) {
  const Output none = folder_.run("apmt simulate nowhere");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("neither a run nor an experiment"));
  const Output inside =
      folder_.run("OMPI_COMM_WORLD_RANK=0 apmt record --counters simulated /bin/true");
  EXPECT_EQ(inside.exit_code, 2);
  EXPECT_THAT(inside.err, HasSubstr("put apmt before the launcher"));
}

/// Instructions by function, as callgrind_annotate adds them up.
std::map<std::string, std::uint64_t> annotated(const std::string& report) {
  static const std::regex row(R"(^\s*([0-9,]+) \([^)]*\)\s+\S*?:(.+?)( \[.*\])?$)");
  std::map<std::string, std::uint64_t> functions;
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    std::string digits = match[1];
    std::erase(digits, ',');
    functions[match[2]] += std::stoull(digits);
  }
  return functions;
}

TEST_F(Simulated, RoundsThatHoldTooLittleGiveWayToTheWholeRun) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  const std::string launch = openmpi().run + " 1 " APMT_PROGRAMS "/openmpi/early_rounds";
  const Output run = folder_.run("apmt record --counters simulated " + launch);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("simulating 12 of 100 rounds of MPI_Allreduce"));
  EXPECT_THAT(run.err, HasSubstr("these rounds reach functions with "));
  EXPECT_THAT(run.err, HasSubstr("simulating the whole run"));
  const Json solve = counters_of(
      folder_.json("apmt info --json apmt-early_rounds/apmt-early_rounds.p1.r1"), "solve");
  // The program makes 5,000 sweeps over 16,383 cells; each cell takes at least three instructions.
  EXPECT_GT(total(solve, "instructions"), 3.0 * 5000 * 16383);

  const Output asked =
      folder_.run("apmt record --counters simulated --sample-iterations 10 " + launch);
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_EQ(asked.err.find("the whole run"), std::string::npos)
      << "the requested ten rounds are simulated";
}

TEST_F(Simulated, CutOffInTheWholeRunItKeepsWhatTheRoundsCounted) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  const std::string launch = openmpi().run + " 1 " APMT_PROGRAMS "/openmpi/early_rounds 6000";
  const Output run =
      folder_.run("apmt record --counters simulated " + launch +
                  " >log 2>&1 & recorder=$!; "
                  "until grep -q 'simulating the whole run' log && "
                  "ls apmt-early_rounds/.simulating-*/*.log >/dev/null 2>&1; do "
                  "kill -0 $recorder || break; sleep 0.1; done; "
                  "kill -TERM $recorder; wait $recorder; code=$?; cat log >&2; exit $code");
  ASSERT_EQ(run.exit_code, 1) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the simulation was interrupted"));
  const Json profile = folder_.json("apmt info --json apmt-early_rounds/apmt-early_rounds.p1.r1");
  const bool has_counts = std::any_of(
      profile.at("kernels").begin(), profile.at("kernels").end(),
      [](const Json& kernel) { return kernel.at("counters").contains("instructions"); });
  EXPECT_TRUE(has_counts);
}

/// Valgrind may end a program on a signal for which it cannot extend the stack.
TEST_F(Simulated, AProgramThatRunsInValgrindGetsNoSignals) {
  const Output run = folder_.run("apmt record valgrind -q " APMT_VICTIMS "/victim_known_loop");
  EXPECT_EQ(run.exit_code, 7) << "the program's own: " << run.err;
  EXPECT_THAT(run.err, HasSubstr("recorded 1 rank, 0 samples"));
  EXPECT_THAT(run.err, HasSubstr("sampling is off: valgrind"));
}

TEST_F(Simulated, AgreesWithCallgrindsOwnReport) {
  const std::string program = std::string(APMT_VICTIMS) + "/victim_known_loop";
  const Output run =
      folder_.run("APMT_SIMULATE=whole APMT_SOURCE=none APMT_QUIET=1 APMT_TARGET=" + program +
                  " LD_PRELOAD=" APMT_LIBRARIES
                  "/libapmt-serial.so valgrind -q --tool=callgrind "
                  "--instr-atstart=no --demangle=no --callgrind-out-file=out " +
                  program);
  ASSERT_EQ(run.exit_code, 7) << "the program's own: " << run.err;
  const auto report = annotated(folder_.run("callgrind_annotate --threshold=100 out.1").out);
  ASSERT_FALSE(report.empty());
  std::map<std::string, std::uint64_t> ours;
  for (const auto& [function, costs] : read_callgrind_file(folder_.path() / "out.1").costs)
    if (costs[0] > 0) ours[function.name] += costs[0];
  EXPECT_EQ(ours, report);
}

}  // namespace
}  // namespace apmt::testing
