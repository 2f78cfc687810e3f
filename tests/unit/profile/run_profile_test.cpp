// Tests of the file of a run profile: reading it returns what was written. A file that breaks a
// rule is refused with one line that names the file, the place and what was expected.
#include "profile/run_profile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "tests/unit/profile/example_profile.h"

namespace apmt {
namespace {

RunProfile two_ranks() {
  RunProfile p = plain_profile();
  p.config.params = {{"n", 1000}};
  p.config.repetition = 3;
  p.config.max_ranks_per_node = 2;
  p.environment = {{"OMP_NUM_THREADS", "1"}};
  p.hosts = {{"node1", "Some CPU", 2, 2}};
  p.host_of_rank = {0, 0};
  p.times.main_cpu_s.per_rank = {9.9, 9.8};
  p.times.sampled_cpu_s.per_rank = {7.9, 8.7};
  p.sampling = {"task-clock",
                "perf::TASK-CLOCK",
                0.002,
                8300,
                1,
                "",
                {{"perf::TASK-CLOCK", 1.75e10, 8750, 0.95}}};
  p.kernels[0].build_id = "0123abcd";
  p.peers = {{0, 1, 100, 80000}, {1, 0, 100, 80000}};
  p.threads = {{0, 10.25, 9.75, 4800, 3.25e10, 0.95}, {1, 10.25, 9.5, 4700, std::nullopt}};
  p.own_cost = {2.5e-6, 2e-6, 5e-7, std::nullopt, 1.2e-5, 7e-8};
  p.libraries = {{"libc", "glibc 2.36"}, {"papi", "7.0.0.0"}};
  p.health.notes = {"a note"};
  return p;
}

TEST(RunProfile, ComesBackFromAFileAsItWas) {
  const RunProfile profile = two_ranks();
  const TemporaryFolder folder;
  const auto path = folder.path() / "profile.json";
  write_run_profile(profile, path);
  const RunProfile again = read_run_profile(path);
  EXPECT_EQ(to_json(again), to_json(profile));
  EXPECT_EQ(again.times.mpi_s.per_rank, profile.times.mpi_s.per_rank);
  EXPECT_EQ(again.kernels[0].counters.at("cpu_s").samples,
            profile.kernels[0].counters.at("cpu_s").samples);
  EXPECT_EQ(again.kernels[0].id, profile.kernels[0].id);
  EXPECT_EQ(again.config.params, profile.config.params);
}

TEST(RunProfile, AbsentCpuClocksStayAbsent) {
  RunProfile profile = two_ranks();
  profile.times.main_cpu_s.per_rank.clear();
  profile.config.frequency_hz.reset();
  const Json json = to_json(profile);
  EXPECT_TRUE(json["times"]["main_cpu_s"].is_null());
  EXPECT_TRUE(json["config"]["frequency_hz"].is_null());
  const RunProfile again = run_profile_from_json(json, "f");
  EXPECT_TRUE(again.times.main_cpu_s.per_rank.empty());
  EXPECT_FALSE(again.config.frequency_hz.has_value());
}

TEST(RunProfile, ColumnAndCounterArithmetic) {
  const RunProfile p = two_ranks();
  EXPECT_DOUBLE_EQ(p.times.mpi_s.total(), 3);
  EXPECT_DOUBLE_EQ(p.times.mpi_s.mean(), 1.5);
  EXPECT_DOUBLE_EQ(p.times.mpi_s.min(), 1);
  EXPECT_DOUBLE_EQ(p.times.mpi_s.max(), 2);
  const Counter& c = p.kernels[0].counters.at("cpu_s");
  EXPECT_EQ(c.total_samples(), 8200u);
  EXPECT_DOUBLE_EQ(c.rank_value(1), 8.6);
  EXPECT_DOUBLE_EQ(c.total(), 16.4);
  EXPECT_EQ(Column{}.mean(), 0);
}

struct Broken {
  const char* name;
  std::function<void(Json&)> edit;
  const char* place;
  const char* expected;
};

class BrokenProfile : public testing::TestWithParam<Broken> {};

TEST_P(BrokenProfile, IsRefusedWithFilePlaceAndExpectation) {
  Json json = to_json(two_ranks());
  GetParam().edit(json);
  try {
    run_profile_from_json(json, "some/profile.json");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find("some/profile.json:"), 0u) << what;
    EXPECT_NE(what.find(GetParam().place), std::string::npos) << what;
    EXPECT_NE(what.find(GetParam().expected), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    EXPECT_EQ(error.code(), ExitCode::kUsage);
  }
}

const double kNan = std::numeric_limits<double>::quiet_NaN();

INSTANTIATE_TEST_SUITE_P(
    Rules, BrokenProfile,
    testing::Values(
        Broken{"nan", [](Json& j) { j["times"]["wall_s"][1] = kNan; }, "/times/wall_s/1", "finite"},
        Broken{"negative", [](Json& j) { j["times"]["mpi_s"][0] = -0.5; }, "/times/mpi_s/0",
               "not negative"},
        Broken{"negative_mpi", [](Json& j) { j["mpi"][0]["time_s"] = -1; }, "/mpi/0/time_s",
               "not negative"},
        Broken{"endless", [](Json& j) { j["times"]["main_s"][1] = 1e308; }, "/times/main_s/1",
               "a number from 0 to 1e+09, found 1e+308"},
        Broken{"endless_mpi", [](Json& j) { j["mpi"][0]["time_s"] = 1e19; }, "/mpi/0/time_s",
               "a number from 0 to 1e+18"},
        Broken{"wide_share", [](Json& j) { j["communication"]["bf_comm"] = 1e308; },
               "/communication/bf_comm", "a number from 0 to 1.001"},
        Broken{"endless_count",
               [](Json& j) { j["kernels"][0]["counters"]["cpu_s"]["unit_per_sample"] = 1e29; },
               "/kernels/0/counters/cpu_s/samples/0", "at most 1e+18"},
        Broken{"negative_total",
               [](Json& j) { j["kernels"][0]["counters"]["cpu_s"]["total"] = -5; },
               "/kernels/0/counters/cpu_s/total", "expected 16.4"},
        Broken{"other_mean", [](Json& j) { j["kernels"][0]["counters"]["cpu_s"]["mean"] = 8.3; },
               "/kernels/0/counters/cpu_s/mean", "as the other numbers there give, found 8.3"},
        Broken{"duplicate", [](Json& j) { j["kernels"].push_back(j["kernels"][0]); }, "/kernels/1",
               "every kernel once"},
        Broken{"short_column", [](Json& j) { j["times"]["main_s"] = {1.0}; }, "/times/main_s",
               "one entry per recorded rank (2), found 1"},
        Broken{"short_samples",
               [](Json& j) {
                 j["kernels"][0]["counters"]["cpu_s"]["samples"] = {1, 2, 3};
               },
               "/kernels/0/counters/cpu_s/samples", "one entry per recorded rank (2), found 3"},
        Broken{"absent", [](Json& j) { j["times"].erase("main_s"); }, "/times", "'main_s'"},
        Broken{"procs", [](Json& j) { j["config"]["procs"] = 0; }, "/config/procs", "from 1"},
        Broken{"lost_ranks", [](Json& j) { j["health"]["ranks_present"] = 3; },
               "/health/ranks_present", "from 1 to 2"},
        Broken{"running", [](Json& j) { j["health"]["ranks_running"] = 1; },
               "/health/ranks_running", "at most ranks_cut_off"},
        Broken{"fraction", [](Json& j) { j["mpi"][0]["calls"] = 1.5; }, "/mpi/0/calls", "whole"},
        Broken{"grade", [](Json& j) { j["grade"] = "E"; }, "/grade", "'A', 'B', 'C', 'D'"},
        Broken{"op_class", [](Json& j) { j["mpi"][0]["op_class"] = "magic"; }, "/mpi/0/op_class",
               "'rooted'"},
        Broken{"host", [](Json& j) { j["host_of_rank"][1] = 1; }, "/host_of_rank/1", "1 hosts"},
        Broken{"peer", [](Json& j) { j["peers"][0]["to"] = 2; }, "/peers/0", "below 2"},
        Broken{"min_max", [](Json& j) { j["mpi"][0]["min_s"] = 5; }, "/mpi/0/min_s", "max_s"},
        Broken{"kind", [](Json& j) { j["kernels"] = 3; }, "/kernels", "an array"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST(RunProfile, SummariesOfCountersMayBeMissingOrRounded) {
  Json json = to_json(two_ranks());
  Json& counter = json["kernels"][0]["counters"]["cpu_s"];
  counter["total"] = counter["total"].get<double>() * (1 + 1e-9);
  counter.erase("mean");
  EXPECT_NO_THROW(run_profile_from_json(json, "f"));
}

TEST(RunProfile, AMessageOnTheWholeFileHasNoPlace) {
  try {
    run_profile_from_json(Json::array(), "the profile");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "the profile: expected an object, found array");
  }
}

TEST(RunProfile, UnknownMajorVersionAndForeignFormatAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "profile.json";
  const auto message_of = [&](const Json& json) -> std::string {
    write_file_atomically(path, json.dump());
    try {
      read_run_profile(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  Json json = to_json(two_ranks());
  json["format_version"] = "1.7";
  EXPECT_EQ(message_of(json), "accepted");
  json["format_version"] = "2.0";
  EXPECT_NE(message_of(json).find("format_version 2.0 is not known, expected 1.x"),
            std::string::npos);
  json["format_version"] = "1.0";
  json["format"] = "apmt-model";
  EXPECT_NE(message_of(json).find("expected a 'apmt-run-profile'"), std::string::npos);
}

TEST(RunProfile, AFailedWriteLeavesTheOldFileAlone) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "profile.json";
  write_run_profile(two_ranks(), path);
  RunProfile bad = two_ranks();
  bad.times.wall_s.per_rank[0] = kNan;
  EXPECT_THROW(write_run_profile(bad, path), InputError);
  EXPECT_NO_THROW(read_run_profile(path));
}

}  // namespace
}  // namespace apmt
