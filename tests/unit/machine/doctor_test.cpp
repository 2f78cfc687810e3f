// Tests of apmt doctor in many situations: made-up ones with files in place of /proc and a function
// in place of perf_event_open, and real ones in a child process.
#include "machine/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <fstream>

#include "base/temporary_folder.h"
#include "machine/doctor_checks.h"
#include "machine/subprocess.h"
#include "tests/paths.h"

namespace apmt {
namespace {

using State = Check::State;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kApmt = fs::path(build_dir()) / "bin/apmt";

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void write_launcher(const fs::path& file, const std::string& version) {
  write(file, "#!/bin/sh\ncat <<'END'\n" + version + "\nEND\n");
  fs::permissions(file, fs::perms::owner_all);
}

/// A machine made of files: an x86 that is not virtual and has no MPI. Its kernel refuses hardware
/// counters with ENOENT.
class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    around_.root = folder_.path() / "root";
    write(
        around_.root / "proc/cpuinfo",
        "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nmodel name : A Xeon\nflags : fpu\n");
    write(around_.root / "proc/sys/kernel/perf_event_paranoid", "2\n");
    around_.search_path = (folder_.path() / "bin").string();
    fs::create_directories(around_.search_path);
    around_.run_dir = folder_.path();
    around_.configs = source_dir() + "/configs";
    around_.libraries = folder_.path() / "lib";
    write(around_.libraries / "libapmt-openmpi.so", "");
    write(around_.libraries / "libapmt-mpich.so", "");
    around_.self_test = false;
    deny(ENOENT);
  }
  void deny(int hardware, int software = 0) {
    around_.perf_open = [=](perf_event_attr* attributes) {
      if (attributes->type == PERF_TYPE_HARDWARE) return -hardware;
      return software != 0 ? -software : ::dup(STDERR_FILENO);
    };
  }
  void say_virtual() {
    write(around_.root / "proc/cpuinfo",
          "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 85\nmodel name : A Xeon\n"
          "flags : fpu hypervisor\n");
  }
  Check check(const std::string& id) {
    report_ = examine(around_);
    const Check* found = report_.find(id);
    if (found == nullptr) throw std::runtime_error("no check " + id);
    return *found;
  }
  const TemporaryFolder folder_;
  Surroundings around_;
  DoctorReport report_;
};

TEST_F(Doctor, SamplesComeFromTheTaskClockWhereTheKernelGrantsIt) {
  around_.perf_open = [](perf_event_attr* attributes) {
    return attributes->type == PERF_TYPE_HARDWARE ? -ENOENT : system_perf_open(attributes);
  };
  if (task_clock_samples(around_.perf_open) < 0) GTEST_SKIP() << "no task clock here";
  const Check granted = check("sampling");
  EXPECT_EQ(granted.state, Check::State::kGood);
  EXPECT_THAT(granted.what, HasSubstr("by the kernel's task clock"));
  deny(EPERM, EPERM);
  const Check refused = check("sampling");
  EXPECT_EQ(refused.state, Check::State::kLimited);
  EXPECT_THAT(refused.what, HasSubstr("by a timer on the CPU clock"));
  EXPECT_THAT(refused.what, HasSubstr("nor by the task clock"));
}

TEST_F(Doctor, NoPmuInAVirtualMachine) {
  say_virtual();
  const Check counters = check("counters");
  EXPECT_EQ(counters.state, State::kLimited) << "runs can still be recorded";
  EXPECT_THAT(counters.what, HasSubstr("virtual machine has no performance counters"));
  EXPECT_THAT(counters.remedy, HasSubstr("virtual PMU"));
  EXPECT_EQ(report_.find("events")->state, State::kNotTested);
}

TEST_F(Doctor, NoPmuOnABareMachine) {
  const Check counters = check("counters");
  EXPECT_EQ(counters.state, State::kLimited) << "runs can still be recorded";
  EXPECT_THAT(counters.what, HasSubstr("kernel offers no performance counters"));
}

TEST_F(Doctor, ParanoidLevels) {
  for (const char* level : {"3", "4"}) {
    write(around_.root / "proc/sys/kernel/perf_event_paranoid", level + std::string("\n"));
    deny(level[0] == '3' ? EACCES : EPERM, EACCES);
    const Check counters = check("counters");
    EXPECT_EQ(counters.state, State::kLimited) << "runs can still be recorded";
    EXPECT_THAT(counters.what, HasSubstr("perf_event_paranoid is " + std::string(level)));
    EXPECT_THAT(counters.remedy, HasSubstr("sysctl kernel.perf_event_paranoid=2"));
  }
}

TEST_F(Doctor, FilteredByAContainer) {
  write(around_.root / "proc/self/status", "Name:\tapmt\nSeccomp:\t2\n");
  deny(EPERM, EPERM);
  const Check counters = check("counters");
  EXPECT_THAT(counters.what, HasSubstr("seccomp"));
  EXPECT_THAT(counters.remedy, HasSubstr("--cap-add PERFMON"));
}

TEST_F(Doctor, AnotherRefusalIsNotTakenForOneOfThose) {
  write(around_.root / "proc/self/status", "Seccomp:\t0\n");
  deny(EPERM, EPERM);
  EXPECT_THAT(check("counters").what, HasSubstr("refused"));
  deny(EMFILE);
  EXPECT_THAT(check("counters").what, HasSubstr("Too many open files"));
}

TEST_F(Doctor, NoMpi) {
  const Check mpi = check("mpi");
  EXPECT_EQ(mpi.state, State::kBad);
  EXPECT_THAT(mpi.remedy, HasSubstr("module"));
  EXPECT_EQ(report_.grade, "");
  EXPECT_FALSE(report_.meets("D"));
}

TEST_F(Doctor, ALauncherOfAnUnknownMpiIsShownWithWhatItSays) {
  write_launcher(fs::path(around_.search_path) / "mpirun", "My very own MPI 1.0");
  EXPECT_THAT(check("mpi").details, ::testing::ElementsAre(HasSubstr("\"My very own MPI 1.0\"")));
}

TEST_F(Doctor, TwoMpisBehindConfusingNames) {
  const fs::path bin = around_.search_path;
  write_launcher(bin / "mpirun", "HYDRA build details:\n    Version:    4.0.2");
  write_launcher(bin / "mpiexec", "HYDRA build details:\n    Version:    4.0.2");
  write_launcher(bin / "mpirun.openmpi", "mpirun (Open MPI) 4.1.4");
  EXPECT_THAT(check("mpi-several").what, HasSubstr("2 families"));
  EXPECT_THAT(report_.find("mpi-mpich")->what, HasSubstr("MPICH 4.0.2"));
  EXPECT_THAT(report_.find("mpi-openmpi")->what, HasSubstr("mpirun.openmpi"));
  EXPECT_EQ(report_.grade, "C");
  EXPECT_TRUE(report_.meets("C"));
  EXPECT_FALSE(report_.meets("B"));
}

TEST_F(Doctor, AnMpiWithoutItsLibraryOrItsCompilers) {
  const fs::path bin = around_.search_path;
  write_launcher(bin / "mpirun", "mpirun (Open MPI) 4.1.4");
  around_.self_test = true;
  const Check mpi = check("mpi-openmpi");
  EXPECT_EQ(mpi.state, State::kNotTested);
  EXPECT_THAT(mpi.what, HasSubstr("C not tested"));
  EXPECT_THAT(mpi.details, ::testing::Contains("C: no compiler"));
  EXPECT_EQ(report_.grade, "C");
  fs::remove(around_.libraries / "libapmt-openmpi.so");
  EXPECT_EQ(check("mpi-openmpi").state, State::kBad);
  EXPECT_EQ(report_.grade, "");
}

TEST_F(Doctor, ValgrindGivesGradeBToWhoSimulatesAndToNoOtherRun) {
  write_launcher(fs::path(around_.search_path) / "mpirun", "mpirun (Open MPI) 4.1.4");
  write_launcher(fs::path(around_.search_path) / "valgrind", "valgrind-3.19");
  check("counters");
  EXPECT_EQ(report_.grade, "C") << "what a run gets";
  EXPECT_EQ(report_.simulated_grade, "B");
  EXPECT_TRUE(report_.meets("B"));
  EXPECT_FALSE(report_.meets("A"));
  EXPECT_EQ(to_json(report_)["grade_with_simulation"], "B");
  EXPECT_THAT(render_doctor_text(report_),
              HasSubstr("Grade C on this machine; grade B when counters are simulated."));
}

TEST_F(Doctor, AFileSizeLimitThatNoRecordingMeetsIsBad) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 4 << 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &low), 0);
  const Check disk = check_disk(around_);
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(disk.state, State::kBad);
  EXPECT_EQ(disk.remedy, "ulimit -f unlimited");
}

TEST_F(Doctor, FrequencyCanBeSetOrNot) {
  EXPECT_EQ(check("frequency").state, State::kLimited);
  const fs::path cpufreq = around_.root / "sys/devices/system/cpu/cpufreq/policy0";
  write(cpufreq / "scaling_driver", "acpi-cpufreq\n");
  write(cpufreq / "cpuinfo_min_freq", "1200000\n");
  write(cpufreq / "cpuinfo_max_freq", "3600000\n");
  write(cpufreq / "scaling_min_freq", "1200000\n");
  write(cpufreq / "scaling_max_freq", "3600000\n");
  const Check frequency = check("frequency");
  EXPECT_EQ(frequency.state, State::kGood);
  EXPECT_THAT(frequency.what, HasSubstr("1200 to 3600 MHz"));
}

TEST_F(Doctor, AContainersQuotaOfOneCore) {
  write(around_.root / "sys/fs/cgroup/cpu.max", "100000 100000\n");
  const Check cores = check("cores");
  EXPECT_EQ(cores.state, State::kLimited);
  EXPECT_THAT(cores.remedy, HasSubstr("two ranks share a core"));
}

TEST_F(Doctor, ThePageNamesEveryCheckWithItsRemedy) {
  check("counters");
  const std::string page = render_doctor_text(report_);
  for (const Check& one : report_.checks) {
    EXPECT_THAT(page, HasSubstr(one.title));
    EXPECT_THAT(page, HasSubstr(one.remedy.substr(0, 20)));
  }
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  const Json json = to_json(report_);
  EXPECT_EQ(json["checks"].size(), report_.checks.size());
  EXPECT_TRUE(json["grade"].is_null());
}

// The tests below run the command in a child process, in real situations.

struct Ran {
  int exit_code = -1;
  Json report;
};

/// Runs `apmt doctor --no-self-test --json` in a child process, which calls `prepare` first.
Ran run_doctor(const std::function<void()>& prepare, std::vector<std::string> more = {}) {
  const TemporaryFolder folder;
  const fs::path output = folder.path() / "out.json";
  fs::permissions(folder.path(), fs::perms::all);
  std::vector<std::string> words = {kApmt.string(), "doctor", "--no-self-test", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const pid_t child = ::fork();
  if (child == 0) {
    if (std::freopen(output.c_str(), "w", stdout) == nullptr) ::_exit(99);
    prepare();
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(98);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  Ran ran;
  ran.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  std::ifstream in(output);
  ran.report = Json::parse(in, nullptr, false);
  return ran;
}

Json found(const Json& report, const std::string& id) {
  for (const Json& check : report["checks"])
    if (check["id"] == id) return check;
  return nullptr;
}

/// A build with sanitizers has no libraries of the recorder. `apmt doctor` reports their absence as
/// a fault.
bool has_recorder() { return fs::exists(fs::path(build_dir()) / "lib/libapmt-serial.so"); }

TEST(DoctorCommand, SeccompDeniesPerfEvents) {
  if (!has_recorder()) GTEST_SKIP() << "built without the recorder";
  const Ran ran = run_doctor([] {
    const std::array<sock_filter, 4> filter = {
        sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, __NR_perf_event_open},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
        sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
    const sock_fprog program = {filter.size(), const_cast<sock_filter*>(filter.data())};
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  });
  ASSERT_EQ(ran.exit_code, 0);
  EXPECT_EQ(found(ran.report, "counters")["state"], "limited");
  const std::string what = found(ran.report, "counters")["what"];
  // If perf_event_paranoid is above 2, this setting is reported first, which is also correct.
  EXPECT_TRUE(what.find("seccomp") != std::string::npos ||
              what.find("perf_event_paranoid") != std::string::npos)
      << what;
}

TEST(DoctorCommand, ACpusetOfOneCore) {
  if (!has_recorder()) GTEST_SKIP() << "built without the recorder";
  const Ran ran = run_doctor([] {
    cpu_set_t all;
    ::sched_getaffinity(0, sizeof all, &all);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ::sched_setaffinity(0, sizeof one, &one);
  });
  ASSERT_EQ(ran.exit_code, 0);
  EXPECT_EQ(found(ran.report, "cores")["state"], "limited");
  EXPECT_THAT(found(ran.report, "cores")["what"].get<std::string>(), HasSubstr("1 core usable"));
}

TEST(DoctorCommand, ARunDirectoryThatCannotBeWritten) {
  // A file cannot be created there, not even by root.
  const Ran ran = run_doctor([] {}, {"-d", "/proc/sys", "--require", "D"});
  ASSERT_EQ(ran.exit_code, 4);
  EXPECT_EQ(found(ran.report, "disk")["state"], "bad");
  EXPECT_TRUE(ran.report["grade"].is_null());
}

TEST(DoctorCommand, AStaticProgram) {
  const Ran bad = run_doctor([] {}, {"--", STATIC_PROGRAM});
  EXPECT_EQ(found(bad.report, "program")["state"], "bad");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(found(bad.report, "program")["what"].get<std::string>(), HasSubstr("statically"));
  const Ran good = run_doctor([] {}, {"--", kApmt.string()});
  EXPECT_EQ(found(good.report, "program")["state"], "good");
}

TEST(DoctorCommand, AGradeThatIsMetEndsWithZero) {
  if (!fs::exists(fs::path(build_dir()) / "lib/libapmt-openmpi.so"))
    GTEST_SKIP() << "built without Open MPI";
  const TemporaryFolder folder;
  write_launcher(folder.path() / "mpirun", "mpirun (Open MPI) 4.1.4");
  const std::string path = folder.path().string();
  const Ran ran =
      run_doctor([&] { ::setenv("PATH", (path + ":/bin").c_str(), 1); }, {"--require", "C"});
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_LE(ran.report["grade"].get<std::string>(), "C");
}

TEST(DoctorCommand, WhatIsRequiredDecidesTheExitCode) {
  const Ran nothing = run_doctor([] { ::setenv("PATH", "/nonexistent", 1); });
  EXPECT_EQ(nothing.exit_code, 1) << "a check is bad, so the command fails";
  EXPECT_NE(found(nothing.report, "mpi"), nullptr);
  EXPECT_EQ(run_doctor([] { ::setenv("PATH", "/nonexistent", 1); }, {"--require", "D"}).exit_code,
            4);
  EXPECT_EQ(run_doctor([] {}, {"--require", "E"}).exit_code, 2);
}

}  // namespace
}  // namespace apmt
