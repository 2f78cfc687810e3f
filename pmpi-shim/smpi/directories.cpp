// Gives each rank that calls chdir or fchdir a working directory of its own, although all ranks
// share a process. Programs that never call them have no cost. A rank that lets other ranks run by
// sleep(), not by an MPI call, may find itself in another rank's directory afterwards, because the
// recorder does not see sleep().
#include "pmpi-shim/smpi/directories.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmpi-shim/core/turns.h"
#include "profiler/runtime/per_rank.h"

namespace apmt::shim {
namespace {

constexpr int kNone = -1;

/// The directory of a rank: an open descriptor, or kNone if the rank is in the common directory.
struct Own {
  int directory = kNone;
};
rt::PerRank<Own> g_own;
int g_common = kNone;   // where the program was started; kNone until a rank changes its directory
int g_current = kNone;  // where the process is now: g_common or a rank's directory

int open_current() { return open(".", O_PATH | O_DIRECTORY | O_CLOEXEC); }

void go_to(int directory) {
  if (directory == g_current) return;
  const int saved_errno = errno;
  if (syscall(SYS_fchdir, directory) == 0) g_current = directory;
  errno = saved_errno;
}

/// Makes the system call and notes where the active rank is now.
template <class Where>
int change(long call, Where where) {
  enter_rank();
  if (rt::g_rank_here == 0) return static_cast<int>(syscall(call, where));
  if (g_common == kNone) g_current = g_common = open_current();
  enter_own_directory();
  if (syscall(call, where) != 0) return -1;
  const int before = g_own.here().directory;
  const int saved_errno = errno;
  const int now = open_current();
  if (now != kNone) g_current = g_own.here().directory = now;
  if (before != kNone && now != kNone) close(before);
  errno = saved_errno;
  return 0;
}

int change_by_name(const char* path) { return change(SYS_chdir, path); }
int change_by_descriptor(int directory) { return change(SYS_fchdir, directory); }

}  // namespace

void leave_own_directory() {
  if (g_common != kNone && g_own.here().directory != kNone) go_to(g_common);
}

void enter_own_directory() {
  if (g_common == kNone) return;
  const int own = g_own.here().directory;
  go_to(own != kNone ? own : g_common);
}

void* directory_function(const char* name) {
  if (strcmp(name, "chdir") == 0) return reinterpret_cast<void*>(change_by_name);
  if (strcmp(name, "fchdir") == 0) return reinterpret_cast<void*>(change_by_descriptor);
  return nullptr;
}

}  // namespace apmt::shim
