// Tests that only the program is recorded, not the commands around it (such as timeout and sh), and
// that the message names the cause if nothing was recorded.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "command.h"

namespace apmt::testing {
namespace {

namespace fs = std::filesystem;

using ::testing::HasSubstr;

constexpr const char* kSerial = APMT_VICTIMS "/victim_known_loop";

/// The number of recordings (files *.apmt) in the runs of an experiment.
int recordings_in(const Folder& folder, const std::string& experiment) {
  int count = 0;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(folder.path() / experiment))
    count += entry.path().extension() == ".apmt";
  return count;
}

/// Removes the times that the examples print, because they differ between runs.
std::string without_times(const std::string& text) {
  return std::regex_replace(text, std::regex("[0-9.]+ s\n"), "\n");
}

class Wrapped : public ::testing::TestWithParam<const Mpi*> {
 protected:
  void SetUp() override {
    if (!GetParam()->present()) GTEST_SKIP() << GetParam()->missing();
  }
  const std::string program_ = GetParam()->examples + "/halo2d 200 20";
  Folder folder_;
};

TEST_P(Wrapped, OnlyTheProgramIsRecorded) {
  const std::vector<std::string> commands = {
      GetParam()->run + " 2 timeout 60 " + program_,
      GetParam()->run + " 2 env SOME=thing nice " + program_,
      GetParam()->run + " 2 sh -c 'ls / >/dev/null; " + program_ + "; true'",
      "timeout 60 " + GetParam()->run + " 2 " + program_,
      "env SOME=thing " + GetParam()->run + " 2 " + program_,
  };
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const std::string experiment = "e" + std::to_string(i);
    const Output alone = folder_.run(commands[i]);
    const Output recorded = folder_.run("apmt record -d " + experiment + " " + commands[i]);
    EXPECT_EQ(recorded.exit_code, 0) << commands[i] << "\n" << recorded.err;
    EXPECT_EQ(without_times(recorded.out), without_times(alone.out)) << commands[i];
    EXPECT_EQ(recordings_in(folder_, experiment), 2) << commands[i];
    folder_.only(experiment, "apmt-halo2d.p2.r1");
  }
}

TEST(WrappedSerial, OnlyTheProgramIsRecorded) {
  Folder folder;
  for (const char* wrapper : {"timeout 60", "env SOME=thing nice", "nohup", "setsid --wait"}) {
    const std::string experiment = std::string("e") + wrapper[0];
    const Output output =
        folder.run("apmt record -d " + experiment + " " + wrapper + " " + kSerial);
    EXPECT_EQ(output.exit_code, 7) << wrapper << "\n" << output.err;
    EXPECT_EQ(recordings_in(folder, experiment), 1) << wrapper;
    folder.only(experiment, "apmt-victim_known_loop.p1.r1");
  }
}

TEST_P(Wrapped, ALauncherInABatchScriptIsFollowedToItsEnd) {
  const Output output =
      folder_.run("SLURM_PROCID=0 apmt record -d e " + GetParam()->run + " 2 " + program_);
  EXPECT_EQ(output.exit_code, 0) << output.err;
  folder_.only("e", "apmt-halo2d.p2.r1");
}

TEST_P(Wrapped, MoreRanksThanCpusIsSaid) {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  if (cpus > 16) GTEST_SKIP() << "too many ranks would be needed";
  const Output output = folder_.run("apmt record -d e " + GetParam()->run + " " +
                                    std::to_string(cpus + 1) + " " + program_);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("more ranks than cores"));
  const Json profile =
      folder_.json("apmt info --json e/apmt-halo2d.p" + std::to_string(cpus + 1) + ".r1");
  EXPECT_EQ(profile.at("config").at("oversubscribed"), true);
  EXPECT_EQ(profile.at("config").at("max_ranks_per_node"), cpus + 1);
  EXPECT_EQ(profile.at("hosts").size(), 1u);
  EXPECT_NE(profile.at("hosts")[0].at("kernel"), "");
  EXPECT_EQ(profile.at("placement").size(), static_cast<std::size_t>(cpus + 1));
  EXPECT_GE(profile.at("placement")[0].at("cpu"), 0);
  EXPECT_NE(profile.at("placement")[0].at("affinity"), "");
  EXPECT_THAT(profile.at("command").get<std::string>(), HasSubstr("halo2d 200 20"));
  for (const char* part : {"init_s", "main_s", "finalize_s", "wall_s", "main_cpu_s"})
    for (const Json& seconds : profile.at("times").at(part)) EXPECT_GT(seconds, 0.0) << part;
}

INSTANTIATE_TEST_SUITE_P(Each, Wrapped, ::testing::Values(&openmpi(), &mpich()),
                         [](const auto& mpi) { return mpi.param->name; });

TEST(Launchers, OpenMpiIsToldToForwardTheEnvironment) {
  Folder folder;
  folder.run(
      "printf '#!/bin/sh\\ncase $1 in --version) echo \"mpirun (Open MPI) 4.1.4\";; "
      "*) echo \"$OMPI_MCA_mca_base_env_list\";; esac\\n' >mpirun && chmod +x mpirun");
  const Output output =
      folder.run("OMPI_MCA_mca_base_env_list=MINE APMT_STAGE=off apmt record ./mpirun -np 2 " +
                 std::string(kSerial));
  for (const char* name : {"MINE", "LD_PRELOAD", "APMT_DIR", "APMT_RUN_ID", "APMT_STAGE"})
    EXPECT_THAT(output.out, HasSubstr(name)) << output.out << output.err;
}

/// Open MPI refuses to start with both options -x and a list in the environment.
TEST(Launchers, OpenMpiPassesVariablesByItsOptionsWhereItHasSome) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  const std::string command = openmpi().run +
                              " 2 -x GREETING=hello sh -c 'echo $GREETING; exec \"$0\" \"$@\"' " +
                              openmpi().examples + "/halo2d 200 20";
  std::ofstream(folder.path() / "job") << "#!/bin/sh\n" << command << "\n";
  for (const std::string& whole : {command, std::string("sh ./job")}) {
    const Output output = folder.run("apmt record -d e " + whole);
    EXPECT_EQ(output.exit_code, 0) << whole << "\n" << output.err;
    EXPECT_THAT(output.out, HasSubstr("hello\nhello\n")) << whole;
    EXPECT_THAT(output.err, HasSubstr("recorded 2 ranks")) << whole;
  }
  // The program's own -x is none of the launcher's.
  const Output own = folder.run("apmt record -d own " + openmpi().run +
                                " 1 sh -c 'echo $# $OMPI_MCA_mca_base_env_list' . -x");
  EXPECT_THAT(own.out, HasSubstr("1 APMT_DIR;"));
}

TEST(Causes, AStaticProgramIsNamed) {
  Folder folder;
  if (folder.run("echo 'int main(void) { return 0; }' >s.c && cc -static s.c -o s").exit_code != 0)
    GTEST_SKIP() << "no static libc here";
  const Output output = folder.run("apmt record ./s");
  EXPECT_EQ(output.exit_code, 0) << "the program's own";
  EXPECT_THAT(output.err, HasSubstr("linked statically"));
}

TEST(Causes, ASetuidProgramIsNamed) {
  Folder folder;
  const Output made = folder.run("cp " + std::string(kSerial) +
                                 " s && chown nobody s && chmod 4755 s && chmod 755 .");
  if (made.exit_code != 0 || geteuid() != 0) GTEST_SKIP() << "needs root to make one";
  const Output output = folder.run("apmt record ./s");
  if (output.err.find("recorded 1 rank,") != std::string::npos)
    GTEST_SKIP() << "setuid does nothing on this file system";
  EXPECT_EQ(output.exit_code, 7) << "the program's own";
  EXPECT_THAT(output.err, HasSubstr("setuid"));
}

TEST(Causes, ARecorderThatIsOffIsSaid) {
  const Output output = Folder().run("APMT_OFF=1 apmt record " + std::string(kSerial));
  EXPECT_EQ(output.exit_code, 7) << "the program's own";
  EXPECT_THAT(output.err, HasSubstr("nothing was recorded, because APMT_OFF is set"));
}

TEST(Causes, AProgramThatLosesThePreloadIsSaid) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  const Output output = folder.run("apmt record " + openmpi().run + " 2 env -u LD_PRELOAD " +
                                   openmpi().examples + "/halo2d 200 20");
  EXPECT_EQ(output.exit_code, 0) << "the program's own";
  EXPECT_THAT(output.err, HasSubstr("nothing was recorded"));
  EXPECT_THAT(output.err, HasSubstr("LD_PRELOAD"));
}

TEST(Causes, ACommandThatFailedLeavesNoNewestExperiment) {
  Folder folder;
  // The experiment of the program that fails is the newer one. Neither program uses MPI.
  EXPECT_EQ(folder.run("apmt record -d good /bin/true").exit_code, 0);
  EXPECT_EQ(folder.run("apmt record -d failed /bin/false").exit_code, 1);
  const Output info = folder.run("apmt info");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("1 run of true on 1 process"));
}

TEST(Causes, AProgramThatIsNotThereIsSaid) {
  if (!openmpi().present()) GTEST_SKIP() << openmpi().missing();
  Folder folder;
  const Output output = folder.run("apmt record " + openmpi().run + " 2 ./no-such-program");
  EXPECT_NE(output.exit_code, 0);
  EXPECT_THAT(output.err, HasSubstr("nothing was recorded: the command contains no program"));
}

TEST(Causes, AScriptIsNamed) {
  Folder folder;
  folder.run("printf '#!/bin/sh\\n%s\\n' '" + std::string(kSerial) + "' >job && chmod +x job");
  for (const char* command : {"./job", "sh -c ./job", "timeout 60 ./job"}) {
    const Output output = folder.run(std::string("apmt record ") + command);
    EXPECT_EQ(output.exit_code, 7) << "the program's own";
    EXPECT_THAT(output.err, HasSubstr("starts programs, and the command does not say which"));
  }
}

TEST(Causes, AScriptThatStartsWhatMpirunStartsIsFollowed) {
  Folder folder;
  if (folder.run("mpirun --version").out.find("Open MPI") == std::string::npos)
    GTEST_SKIP() << "mpirun is not Open MPI's";
  folder.run("printf '#!/bin/sh\\nls >/dev/null\\n%s\\n' '" + openmpi().run + " 2 " +
             openmpi().examples + "/halo2d 200 20' >job && chmod +x job");
  for (const char* command : {"./job", "sh job", "timeout 60 ./job"}) {
    const Output output = folder.run(std::string("apmt record -d e ") + command);
    EXPECT_EQ(output.exit_code, 0) << output.err;
    EXPECT_THAT(output.err, HasSubstr("recorded 2 ranks"));
  }
  folder.only("e", "apmt-halo2d.p2.r3");
  EXPECT_EQ(recordings_in(folder, "e"), 6);
}

TEST(Causes, ALauncherOfAnotherMpiIsNamed) {
  if (!openmpi().present() || !mpich().present()) GTEST_SKIP() << "needs two MPIs";
  for (const auto& [launcher, program] :
       {std::pair(&openmpi(), &mpich()), std::pair(&mpich(), &openmpi())}) {
    Folder folder;
    const Output output =
        folder.run("apmt record " + launcher->run + " 2 " + program->examples + "/halo2d 200 20");
    EXPECT_EQ(output.exit_code, 0) << "the program's own";
    EXPECT_THAT(output.err, HasSubstr("2 processes were each the only rank"));
    EXPECT_THAT(output.err, HasSubstr("the launcher does not belong to the program's MPI (" +
                                      std::string(program == &mpich() ? "MPICH" : "Open MPI")));
    EXPECT_THAT(output.err, HasSubstr("; start the program with the mpirun"));
  }
}

TEST(Modules, CodeThatWasLoadedLaterHasItsNameWhenTheProgramIsKilled) {
  char byte = 0;
  const iovec here = {&byte, 1};
  if (process_vm_readv(getpid(), &here, 1, &here, 1, 0) != 1)
    GTEST_SKIP() << "process_vm_readv is denied here";
  Folder folder;
  const Output output =
      folder.run("apmt record -d e " APMT_PROGRAMS "/plugins " APMT_PROGRAMS " kill");
  ASSERT_EQ(output.exit_code, 137) << output.err;
  const Json profile = folder.json("apmt info --json e/apmt-plugins.p1.r1");
  EXPECT_EQ(profile.at("health").at("ranks_cut_off"), 1);
  for (const char* work : {"first_work", "second_work"}) {
    const auto is_it = [&](const Json& kernel) { return kernel.at("name") == work; };
    const Json& all = profile.at("kernels");
    const auto kernel = std::find_if(all.begin(), all.end(), is_it);
    ASSERT_NE(kernel, all.end()) << work;
    EXPECT_NE(kernel->at("build_id"), "") << "as the loader would report it";
    EXPECT_GT(kernel->at("counters").at("cpu_s").at("total"), 0) << work;
  }
}

TEST(Modules, CodeThatTakesThePlaceOfOtherCodeIsKeptApart) {
  Folder folder;
  const Output output = folder.run("apmt record -d e " APMT_PROGRAMS "/plugins " APMT_PROGRAMS);
  ASSERT_EQ(output.exit_code, 0) << output.err;
  if (output.out.find("same address") == std::string::npos)
    GTEST_SKIP() << "the loader did not reuse the address";
  const Json profile = folder.json("apmt info --json e/apmt-plugins.p1.r1");
  std::set<std::string> names;
  for (const Json& kernel : profile.at("kernels")) names.insert(kernel.at("name"));
  EXPECT_TRUE(names.contains("first_work"))
      << "work of the first plugin does not count for the second";
  EXPECT_TRUE(names.contains("second_work"));
}

}  // namespace
}  // namespace apmt::testing
