// Tests every way to start a recording, with every MPI: the recording must agree with the program.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/atomic_file.h"
#include "command.h"
#include "stolen.h"

namespace apmt::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

const Json* kernel(const Json& profile, const std::string& name) {
  for (const Json& k : profile.at("kernels"))
    if (k.at("name") == name) return &k;
  return nullptr;
}

std::uint64_t calls_of(const Json& profile, const std::string& op) {
  std::uint64_t calls = 0;
  for (const Json& row : profile.at("mpi"))
    if (row.at("op") == op) calls += row.at("calls").get<std::uint64_t>();
  return calls;
}

/// Expects the counts that examples/halo2d/README.md states for P ranks in px x py blocks and k
/// iterations.
void expect_halo2d(const Json& profile, int ranks, int px, int py, int n, int k) {
  EXPECT_EQ(profile.at("config").at("procs"), ranks);
  EXPECT_EQ(profile.at("health").at("ranks_present"), ranks);
  EXPECT_EQ(profile.at("health").at("ranks_cut_off"), 0);
  EXPECT_EQ(profile.at("health").at("table_drops"), 0);
  const auto messages = static_cast<std::uint64_t>(k * (4 * ranks - 2 * px - 2 * py));
  EXPECT_EQ(calls_of(profile, "MPI_Isend"), messages);
  EXPECT_EQ(calls_of(profile, "MPI_Irecv"), messages);
  EXPECT_EQ(calls_of(profile, "MPI_Waitall"), static_cast<std::uint64_t>(k * ranks));
  EXPECT_EQ(calls_of(profile, "MPI_Allreduce"), static_cast<std::uint64_t>((k + 2) * ranks));
  std::uint64_t sent = 0;
  std::uint64_t messages_to_peers = 0;
  for (const Json& peer : profile.at("peers")) {
    sent += peer.at("bytes").get<std::uint64_t>();
    messages_to_peers += peer.at("messages").get<std::uint64_t>();
  }
  EXPECT_EQ(sent, static_cast<std::uint64_t>(16 * k * n * (px + py - 2)));
  EXPECT_EQ(messages_to_peers, messages);
}

class EachMpi : public ::testing::TestWithParam<const Mpi*> {
 protected:
  void SetUp() override {
    if (!GetParam()->present()) GTEST_SKIP() << GetParam()->missing();
  }
  std::string launch(int ranks, const std::string& program) const {
    return GetParam()->run + " " + std::to_string(ranks) + " " + program;
  }
  std::string example(const std::string& name) const { return GetParam()->examples + "/" + name; }
  Folder folder_;
};

TEST_P(EachMpi, RecordedFromOutside) {
  const Output output =
      folder_.run("apmt record --set n=1000 " + launch(2, example("halo2d") + " 1000 400"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("ok halo2d 1000 400 checksum")) << "the program's own output";
  EXPECT_THAT(output.err, HasSubstr("recorded 2 ranks"));
  EXPECT_THAT(output.err, Not(HasSubstr("PAPI"))) << "no counters were asked for";
  const Json profile = folder_.json("apmt info --json apmt-halo2d/apmt-halo2d.p2.n1000.r1");
  expect_halo2d(profile, 2, 1, 2, 1000, 400);
  EXPECT_EQ(profile.at("config").at("params"), (Json{{"n", 1000.0}}));
  EXPECT_EQ(profile.at("grade"), "C");
  EXPECT_NE(kernel(profile, "jacobi_sweep"), nullptr);
  EXPECT_NE(profile.at("libraries").at("libc"), "");
  const Json& cost = profile.at("own_cost");
  for (const char* part : {"sample_s", "delivery_s", "handler_s", "mpi_call_s"})
    EXPECT_GT(cost.at(part).get<double>(), 0.0) << part;
  ASSERT_GE(profile.at("threads").size(), 2u);
  for (const Json& thread : profile.at("threads")) EXPECT_GT(thread.at("cpu_s"), 0.0);
  const std::string text = folder_.run("apmt info apmt-halo2d/apmt-halo2d.p2.n1000.r1").out;
  EXPECT_THAT(text, HasSubstr("delivery by the kernel"));
  EXPECT_THAT(text, HasSubstr("libraries"));
}

TEST_P(EachMpi, ATypoInTheSizesIsRefusedBeforeTheStartAndLosesNoRecording) {
  const Output refused =
      folder_.run("APMT_PARAMS=n=1k apmt record " + launch(2, example("halo2d")));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "") << "the program was not started";
  EXPECT_THAT(refused.err, HasSubstr("APMT_PARAMS: 'n=1k': expected name=number"));
  const Output recorded = folder_.run(
      "apmt record -d e " + launch(2, "env APMT_PARAMS=n=1k,m=5 " + example("halo2d") + " 100 10"));
  EXPECT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_THAT(recorded.err, HasSubstr("APMT_PARAMS 'n=1k' is not name=number"));
  EXPECT_EQ(folder_.json("apmt info --json e/apmt-halo2d.p2.m5.r1").at("config").at("params"),
            (Json{{"m", 5.0}}));
}

TEST_P(EachMpi, RecordedInsideTheLauncherAndMergedByTheNextVerb) {
  const Output output = folder_.run(
      launch(2, std::string(APMT_COMMAND) + " record " + example("halo2d") + " 600 120"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  folder_.only("apmt-halo2d", "running-");
  const Output info = folder_.run("apmt info");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.err, HasSubstr("merged"));
  expect_halo2d(folder_.json("apmt info --json apmt-halo2d/apmt-halo2d.p2.r1"), 2, 1, 2, 600, 120);
}

TEST(Preload, TheLibraryThatHelpNamesIsThere) {
  Folder folder;
  const Output output = folder.run(
      "library=$(apmt record --help | grep -o 'LD_PRELOAD=[^ ]*' | head -n 1 | cut -d= -f2) && "
      "test -n \"$library\" && test -e \"$library\"");
  EXPECT_EQ(output.exit_code, 0) << output.out << output.err;
}

/// libgomp, which apmt loads, binds the main thread to one processor if OMP_PROC_BIND is set.
TEST(Affinity, ProgramsMayUseTheProcessorsThatApmtMayUse) {
  Folder folder;
  const std::string show = "grep Cpus_allowed_list /proc/self/status";
  const std::string all = folder.run(show).out;
  if (all.find_first_of(",-") == std::string::npos) GTEST_SKIP() << "only one processor";
  for (const char* binding : {"OMP_PROC_BIND=true", "GOMP_CPU_AFFINITY=0", "OMP_PLACES=cores"})
    EXPECT_EQ(folder.run(std::string(binding) + " apmt record " + show).out, all) << binding;
}

TEST_P(EachMpi, RecordedByPreloadAlone) {
  const std::string library = std::string(APMT_LIBRARIES) + "/libapmt-" + GetParam()->name + ".so";
  const Output output =
      folder_.run("LD_PRELOAD=" + library + " " + launch(4, example("halo2d") + " 400 50"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("apmt: recording halo2d into")) << "one line, from rank 0";
  const std::string running = folder_.only("apmt-halo2d", "running-").string();
  expect_halo2d(folder_.json("apmt info --json " + running), 4, 2, 2, 400, 50);
}

TEST_P(EachMpi, RunsNeverShareADirectory) {
  for (int i = 0; i < 2; ++i)
    ASSERT_EQ(folder_.run("apmt record " + launch(1, example("halo2d") + " 100 5")).exit_code, 0);
  folder_.only("apmt-halo2d", "apmt-halo2d.p1.r1");
  folder_.only("apmt-halo2d", "apmt-halo2d.p1.r2");
}

TEST_P(EachMpi, ProgramsThatMakeUpOneWorldAreOneRun) {
  folder_.run("cp " + example("halo2d") + " other");
  const std::string both = launch(1, example("halo2d") + " 200 20 : -n 1 ./other 200 20");
  const Output output = folder_.run("apmt record -d outside " + both);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  expect_halo2d(folder_.json("apmt info --json " + folder_.only("outside", "").string()), 2, 1, 2,
                200, 20);
  // Two launches with the same run id. `apmt info` below makes a run of the recordings of each
  // launch.
  const std::string preloaded =
      "APMT_DIR=e APMT_RUN_ID=again LD_PRELOAD=" + std::string(APMT_LIBRARIES) + "/libapmt-" +
      GetParam()->name + ".so " + both;
  ASSERT_EQ(folder_.run(preloaded + " && " + preloaded).exit_code, 0);
  const Output info = folder_.run("apmt info e");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  for (const char* run : {"e/apmt-halo2d.p2.r1", "e/apmt-halo2d.p2.r2"})
    expect_halo2d(folder_.json(std::string("apmt info --json ") + run), 2, 1, 2, 200, 20);
}

/// The run id ends in the name of one program, like the names of the directories running-*. The
/// launch of two programs must still become one run.
TEST_P(EachMpi, ALaunchThatIsNamedLikeItsProgramIsOneRun) {
  folder_.run("cp " + example("halo2d") + " other");
  const Output output = folder_.run(
      "APMT_DIR=e APMT_RUN_ID=a-halo2d LD_PRELOAD=" + std::string(APMT_LIBRARIES) + "/libapmt-" +
      GetParam()->name + ".so " + launch(2, example("halo2d") + " 200 20 : -n 1 ./other 200 20"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Output info = folder_.run("apmt info e");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  expect_halo2d(folder_.json("apmt info --json " + folder_.only("e", "apmt-halo2d.p3.r1").string()),
                3, 1, 3, 200, 20);
}

TEST_P(EachMpi, LaunchesOfTheSameNameAreKeptApart) {
  const std::string preloaded = "APMT_RUN_ID=again LD_PRELOAD=" + std::string(APMT_LIBRARIES) +
                                "/libapmt-" + GetParam()->name + ".so " +
                                launch(2, example("halo2d") + " 100 5");
  for (int i = 0; i < 3; ++i) ASSERT_EQ(folder_.run(preloaded).exit_code, 0);
  const Json runs = folder_.json("apmt info --json");
  ASSERT_EQ(runs.size(), 3u);
  for (const Json& run : runs) EXPECT_EQ(run.at("health").at("ranks_present"), 2);
  folder_.only("apmt-halo2d", "apmt-halo2d.p2.r3");
}

TEST_P(EachMpi, OnlyForceReplacesRunsAndOnlyAtTheSamePoint) {
  const std::string record = "apmt record -d e ";
  const std::string program = launch(1, example("halo2d") + " 100 5");
  for (const std::string options : {"", "", "--set n=100 "})
    ASSERT_EQ(folder_.run(record + options + program).exit_code, 0);
  const std::string first = folder_.only("e", "apmt-halo2d.p1.r1") / "profile.json";
  const std::string other = folder_.only("e", "apmt-halo2d.p1.n100.r1") / "profile.json";
  const std::string before = read_whole_file(first);
  const std::string untouched = read_whole_file(other);

  EXPECT_EQ(
      folder_.run(record + "--force " + launch(1, example("halo2d") + " 400 fifty")).exit_code, 2);
  EXPECT_EQ(read_whole_file(first), before) << "a run that failed replaces nothing";

  ASSERT_EQ(folder_.run(record + "--force " + program).exit_code, 0);
  EXPECT_NE(read_whole_file(first), before);
  EXPECT_EQ(read_whole_file(other), untouched);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "e/apmt-halo2d.p1.r2"));
  EXPECT_EQ(folder_.json("apmt info --json e").size(), 2u);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path() / "e"))
    EXPECT_THAT(entry.path().filename().string(), ::testing::Not(HasSubstr("replaced")));

  const Output inside = folder_.run(launch(1, APMT_COMMAND " record --force " + example("halo2d")));
  EXPECT_EQ(inside.exit_code, 2) << inside.err;
}

TEST_P(EachMpi, FortranIsSeenWhole) {
  ASSERT_EQ(folder_.run("apmt record " + launch(2, example("transpose") + " 256 4")).exit_code, 0);
  const Json profile = folder_.json("apmt info --json apmt-transpose/apmt-transpose.p2.r1");
  EXPECT_GT(calls_of(profile, "MPI_Alltoall"), 0u);
  EXPECT_EQ(calls_of(profile, "MPI_Alltoall") % 2, 0u);
  EXPECT_EQ(calls_of(profile, "MPI_Send") + calls_of(profile, "MPI_Isend"), 0u)
      << "messages that MPI sends inside a collective do not count";
}

TEST_P(EachMpi, TheCommandsExitCodeIsKept) {
  const Output output = folder_.run("apmt record " + launch(1, example("halo2d") + " 400 fifty"));
  EXPECT_EQ(output.exit_code, 2) << output.err;
}

TEST_P(EachMpi, ThreadsThatWereThereBeforeAreSampled) {
  const std::string program = std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/early_worker";
  const double stolen_before_s = stolen_s();
  const Output output = folder_.run("apmt record --source posix-timer " + launch(1, program));
  const double stolen_meanwhile_s = stolen_s() - stolen_before_s;
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("early_worker is done"));
  EXPECT_THAT(output.err, HasSubstr("1 thread was there before the recording began and is not "
                                    "sampled: a thread that blocks all signals"));
  const Json profile = folder_.json("apmt info --json apmt-early_worker/apmt-early_worker.p1.r1");
  const Json* work = kernel(profile, "early_work");
  ASSERT_NE(work, nullptr);
  const double cpu_s = work->at("counters").at("cpu_s").at("total").get<double>();
  EXPECT_GT(cpu_s, 0.2) << "the kernel may account for the last tenth of a second too late";
  EXPECT_LT(cpu_s, 0.45 + stolen_meanwhile_s);
}

/// The second thread of calm_worker sleeps before MPI_Init and has its core to itself afterwards.
/// Only what happens after MPI_Init may decide whether this thread needs the task clock.
TEST_P(EachMpi, AThreadThatWasThereBeforeAndHasItsCoreNowNeedsNoTaskClock) {
  const std::string program = std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/calm_worker";
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    const std::string experiment = "e" + std::to_string(i);
    const Output output = folder_.run("apmt record -d " + experiment + " " + launch(1, program));
    ASSERT_EQ(output.exit_code, 0) << output.err;
    if (output.out != "calm\n") continue;
    const Json profile = folder_.json("apmt info --json " + experiment + "/apmt-calm_worker.p1.r1");
    if (profile.at("sampling").at("source") != "task-clock") GTEST_SKIP() << "no task clock here";
    ASSERT_NE(kernel(profile, "calm_work"), nullptr);
    EXPECT_TRUE(profile.at("own_cost").at("task_clock_s").is_null()) << profile.at("own_cost");
    return;
  }
  GTEST_SKIP() << "others had the core, too, at each of " << kTries << " times";
}

TEST_P(EachMpi, WhatFindsNoRoomIsCountedAndSaid) {
  const std::string program = std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/call_sites";
  const Output output = folder_.run("apmt record --memory 1 " + launch(1, program));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  const Json profile = folder_.json("apmt info --json apmt-call_sites/apmt-call_sites.p1.r1");
  std::int64_t kept = 0;
  for (const Json& row : profile.at("mpi"))
    if (row.at("op") == "MPI_Barrier") kept += row.at("calls").get<std::int64_t>();
  const std::int64_t dropped = profile.at("health").at("table_drops").get<std::int64_t>();
  EXPECT_GT(kept, 200);
  EXPECT_GT(dropped, 500);
  EXPECT_EQ(kept + dropped, 1000);
  EXPECT_THAT(output.err, Not(HasSubstr("recording itself took")));
  EXPECT_THAT(folder_.run("apmt info apmt-call_sites/apmt-call_sites.p1.r1").out,
              HasSubstr("did not fit into the recording"));
}

TEST_P(EachMpi, WhatRecordingCostsIsSaidWhenItIsMoreThanAHundredth) {
  const std::string program = std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/call_sites";
  const Output output = folder_.run("apmt record " + launch(1, program + " 5000"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("recording itself took"));
}

TEST_P(EachMpi, NothingIsLeftOfThreadsThatEnded) {
  const std::string program =
      std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/short_threads";
  const Output output = folder_.run("apmt record --source posix-timer " + launch(1, program));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  if (output.out.find("before: -1") != std::string::npos)
    GTEST_SKIP() << "this kernel does not list timers";
  EXPECT_THAT(output.out, MatchesRegex("timers before: 1[0-9][0-9], left over: 0, "
                                       "descriptors left over: 0\n"))
      << "each thread has a timer at first; otherwise this test shows nothing";
}

TEST_P(EachMpi, ProcessesThatTheProgramStartsAreLeftOut) {
  const std::string program = std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/spawner";
  if (folder_.run(launch(1, program)).exit_code != 0) GTEST_SKIP() << "this MPI starts none here";
  const Output output = folder_.run("apmt record -d e " + launch(1, program));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.out, "spawner is done\n");
  EXPECT_THAT(output.err, HasSubstr("2 processes that MPI_Comm_spawn started are left out"));
  const std::string run = folder_.only("e", "apmt-spawner.p1.r1").string();
  const Json profile = folder_.json("apmt info --json " + run);
  EXPECT_EQ(calls_of(profile, "MPI_Comm_spawn"), 1u);
  EXPECT_EQ(calls_of(profile, "MPI_Barrier"), 1u);
  const Output each = folder_.run("ls " + run + "/rank-0000?-*.apmt | xargs -n 1 apmt info");
  EXPECT_EQ(each.exit_code, 0) << "each has a recording of its own; " << each.err;
}

/// Two programs in one MPI_COMM_WORLD spawn processes, whose recordings are in the folder of only
/// one of the two.
TEST_P(EachMpi, ProgramsThatMakeUpOneWorldAndStartProcessesAreOneRun) {
  const std::string program = std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/spawner";
  folder_.run("cp " + program + " other");
  const std::string both = launch(1, program + " : -n 1 ./other");
  if (folder_.run(both).exit_code != 0) GTEST_SKIP() << "this MPI starts none here";
  const Output output = folder_.run("apmt record -d e " + both);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("2 processes that MPI_Comm_spawn started are left out"));
  const Json profile = folder_.json("apmt info --json " + folder_.only("e", "").string());
  EXPECT_EQ(profile.at("health").at("ranks_present"), 2);
  EXPECT_EQ(calls_of(profile, "MPI_Comm_spawn"), 2u);
}

/// The child of bare_child must end as it does without the recorder, and its parent's recording
/// must contain neither the child's MPI calls nor its work.
TEST_P(EachMpi, AChildThatNobodyIsToldOfIsAsWithoutUs) {
  const std::string program = std::string(APMT_PROGRAMS) + "/" + GetParam()->name + "/bare_child";
  const Output output = folder_.run("apmt record " + launch(1, program));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_EQ(output.out, "the child ended with 5\n");
  const Json profile = folder_.json("apmt info --json apmt-bare_child/apmt-bare_child.p1.r1");
  EXPECT_EQ(calls_of(profile, "MPI_Comm_size"), 1u);
  EXPECT_NE(kernel(profile, "parent_work"), nullptr);
  EXPECT_EQ(kernel(profile, "child_work"), nullptr);
}

/// MPI is in a library that Python loads at run time.
TEST_P(EachMpi, APythonProgramThatCallsMpiIsAnMpiProgram) {
  if (folder_.run("python3 -c 'import ctypes'").exit_code != 0)
    GTEST_SKIP() << "python3 is not installed";
  const bool openmpi_family = GetParam()->name == std::string("openmpi");
  const std::string library = openmpi_family ? "libmpi.so.40" : "libmpich.so.12";
  const std::string world = openmpi_family
                                ? "ctypes.byref(ctypes.c_char.in_dll(mpi, 'ompi_mpi_comm_world'))"
                                : "0x44000000";
  std::ofstream(folder_.path() / "ring.py") << "import ctypes\n"
                                               "ctypes.CDLL('"
                                            << library
                                            << "', ctypes.RTLD_GLOBAL)\n"
                                               "mpi = ctypes.CDLL(None)\n"
                                               "mpi.MPI_Init(None, None)\n"
                                               "for i in range(5): mpi.MPI_Barrier("
                                            << world
                                            << ")\n"
                                               "mpi.MPI_Finalize()\n"
                                               "print('ring.py is done')\n";
  const Output output = folder_.run("apmt record -d ring " + launch(2, "python3 ring.py"));
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("ring.py is done"));
  const std::string run = folder_.only("ring", "apmt-python3").string();
  const Json profile = folder_.json("apmt info --json " + run);
  EXPECT_EQ(profile.at("config").at("procs"), 2);
  EXPECT_EQ(calls_of(profile, "MPI_Barrier"), 10u);
}

INSTANTIATE_TEST_SUITE_P(Launch, EachMpi, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& mpi) { return mpi.param->name; });

TEST(Serial, AProgramWithoutMpiIsOneRank) {
  Folder folder;
  const Output output = folder.run("apmt record " APMT_VICTIMS "/victim_known_loop");
  EXPECT_EQ(output.exit_code, 7) << "its own exit code; " << output.err;
  const Json profile =
      folder.json("apmt info --json apmt-victim_known_loop/apmt-victim_known_loop.p1.r1");
  EXPECT_EQ(profile.at("config").at("procs"), 1);
  EXPECT_GT(profile.at("sampling").at("samples"), 20);
  EXPECT_EQ(profile.at("mpi_library"), "");
}

TEST(Serial, TheExperimentIsWhatTheEnvironmentNames) {
  Folder folder;
  ASSERT_EQ(folder.run("APMT_DIR=named apmt record " APMT_VICTIMS "/victim_known_loop").exit_code,
            7);
  EXPECT_EQ(folder.run("test -d named/apmt-victim_known_loop.p1.r1").exit_code, 0);
  EXPECT_EQ(
      folder.run("APMT_DIR=named apmt record -d told " APMT_VICTIMS "/victim_known_loop").exit_code,
      7);
  EXPECT_EQ(folder.run("test -d told/apmt-victim_known_loop.p1.r1").exit_code, 0);
}

TEST(Serial, SettingsThatAreNotFollowedAreSaid) {
  Folder folder;
  const std::string record = "apmt record -d e " APMT_VICTIMS "/victim_known_loop";
  EXPECT_THAT(folder.run("APMT_MEMORY=64MB " + record).err,
              HasSubstr("APMT_MEMORY=64MB is ignored: it is not a number"));
  EXPECT_THAT(folder.run("APMT_INTERVAL_NS=-5 " + record).err,
              HasSubstr("APMT_INTERVAL_NS=-5 is ignored"));
  const Output misspelt = folder.run("APMT_SOURCE=posix_timer " + record);
  EXPECT_THAT(misspelt.err, HasSubstr("APMT_SOURCE=posix_timer is ignored: it is none of"));
  EXPECT_THAT(misspelt.err, Not(HasSubstr("sampling is off"))) << "any source will do";
  EXPECT_THAT(folder.run("APMT_MEMORY=1000 " + record).err,
              HasSubstr("bytes instead of the 1000 of APMT_MEMORY"));
  const Output large = folder.run("APMT_MEMORY=100000000000 " + record);
  EXPECT_THAT(large.err, HasSubstr("recorded 1 rank,")) << "readers accept it";
  EXPECT_THAT(large.err, HasSubstr("instead of the 100000000000 of APMT_MEMORY"));
  EXPECT_THAT(folder.run("APMT_MEMORY=5000000 " + record).err, Not(HasSubstr("APMT_MEMORY")));
  EXPECT_EQ(folder.run("apmt record --memory 129 true").exit_code, 2);
}

TEST(Serial, EventsThatNobodyAskedForAreNoNewsWhereTheyCannotBeCounted) {
  Folder folder;
  const std::string record =
      "APMT_EVENTS=PAPI_TOT_CYC,PAPI_TOT_INS apmt record -d e --events basic " APMT_VICTIMS
      "/victim_known_loop";
  const Output asked = folder.run(record);
  if (asked.err.find("is not measured") == std::string::npos ||
      asked.err.find("perf_event_paranoid") != std::string::npos)
    GTEST_SKIP() << "this machine has counters, or a setting that forbids them";
  EXPECT_THAT(folder.run("APMT_EVENTS_CHOSEN=1 " + record).err, Not(HasSubstr("is not measured")));
}

TEST(Serial, WhatCannotBeRecordedIsSaid) {
  Folder folder;
  EXPECT_EQ(folder.run("apmt record ./no-such-program").exit_code, 2);
  const Output plain = folder.run("apmt record");
  EXPECT_EQ(plain.exit_code, 2);
  const Output script =
      folder.run("printf '#!/bin/sh\\nexit 0\\n' > s && chmod +x s && apmt record ./s");
  EXPECT_EQ(script.exit_code, 0) << "the program's own";
  EXPECT_THAT(script.err, HasSubstr("nothing was recorded"));
}

}  // namespace
}  // namespace apmt::testing
