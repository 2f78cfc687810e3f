#include "profiler/runtime/modules.h"

#include <dlfcn.h>
#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <string>

#include "tests/unit/runtime/small_recording.h"

namespace apmt::rt {

// The recorder's state. The rest of the recorder is not linked into this test.
constinit PerRank<State> g_state;

namespace {

using ::testing::HasSubstr;

struct Empty {
  Empty() : bytes(recording_bytes(kSmall), '\0'), recording(lay_out(bytes.data(), kSmall)) {}
  std::uint64_t modules() const { return recording.section(format::SectionKind::kModules).used; }
  std::string bytes;
  Recording recording;
};

/// An address in the code of the C library (of a function that sanitizers do not replace).
std::uint64_t library_pc() {
  return reinterpret_cast<std::uint64_t>(dlsym(RTLD_DEFAULT, "drand48"));
}

TEST(FollowCode, AddsWhatTheLoaderTellsDebuggersOnce) {
  char byte = 0;
  const iovec here = {&byte, 1};
  if (process_vm_readv(getpid(), &here, 1, &here, 1, 0) != 1)
    GTEST_SKIP() << "process_vm_readv is denied here";
  const Empty empty;
  follow_code(empty.recording, library_pc());
  follow_code(empty.recording, library_pc());
  ASSERT_EQ(empty.modules(), 1u);
  const format::Module& module = empty.recording.modules[0];
  EXPECT_LE(module.begin, library_pc());
  EXPECT_GT(module.end, library_pc());
  EXPECT_GT(module.build_id_bytes, 0u);
  EXPECT_THAT(std::string(empty.recording.text + module.path_offset), HasSubstr("libc"));
}

/// MPI wrappers call follow_code in the middle of the program, so it must not change errno.
TEST(FollowCode, KeepsErrnoWhereTheKernelDoesNotRead) {
  const auto in_a_child = [] {
    sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = {sizeof rules / sizeof *rules, rules};
    const Empty empty;
    const std::uint64_t pc = library_pc();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      _exit(2);
    errno = 12345;
    follow_code(empty.recording, pc);
    _exit(errno == 12345 && empty.modules() == 0 ? 0 : 1);
  };
  EXPECT_EXIT(in_a_child(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace apmt::rt
