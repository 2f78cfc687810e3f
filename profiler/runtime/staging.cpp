#include "profiler/runtime/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "profiler/runtime/environment.h"
#include "profiler/runtime/state.h"

namespace apmt::rt {
namespace {

constexpr uint64_t kUnsafe[] = {
    0x6969,      // NFS
    0xFF534D42,  // CIFS
    0xFE534D42,  // SMB 2
    0x517B,      // SMB
    0x0BD00BD0,  // Lustre
    0x47504653,  // GPFS (Spectrum Scale)
    0x19830326,  // BeeGFS
    0x00C36400,  // Ceph
    0x5346414F,  // AFS
    0x6B414653,  // AFS of the kernel
    0x01021997,  // 9P
    0x20030528,  // OrangeFS
    0xAAD7AAEA,  // PanFS
    0x7461636F,  // OCFS2
    0x01161970,  // GFS2
    0x65735546,  // FUSE
    0x9123683E,  // btrfs
    0x2FC12FC1,  // ZFS
    0xCA451A4E,  // bcachefs
};

bool is_unsafe(const char* path) {
  struct statfs system;
  return statfs(path, &system) == 0 && may_fail_when_mapped(static_cast<uint32_t>(system.f_type));
}

bool can_stage_in(const char* folder) {
  return folder != nullptr && folder[0] == '/' && access(folder, W_OK | X_OK) == 0;
}

void path_in_folder(char* out, size_t capacity, const char* ending) {
  snprintf(out, capacity, "%s/%s.%s", state().run_dir, state().file_name, ending);
}

constexpr size_t kPathBytes = sizeof(State::run_dir) + sizeof(State::file_name) + 8;

/// Creates a symbolic link whose target names the node and the path of the recording on it.
bool leave_link() {
  struct utsname system;
  if (uname(&system) != 0) return false;
  char target[sizeof system.nodename + sizeof(State::staged) + 1];
  snprintf(target, sizeof target, "%s:%s", system.nodename, state().staged);
  char path[kPathBytes];
  path_in_folder(path, sizeof path, "staged");
  return symlink(target, path) == 0;
}

bool stage_in(const char* folder, const Capacities& capacities) {
  if (!can_stage_in(folder)) return false;
  snprintf(state().staged, sizeof state().staged, "%.600s/apmt-%s.apmt", folder, state().file_name);
  if (leave_link()) {
    if (create_recording(state().staged, capacities, &state().recording) == nullptr) return true;
    char link[kPathBytes];
    path_in_folder(link, sizeof link, "staged");
    unlink(link);
  }
  state().staged[0] = '\0';
  return false;
}

bool is_zero(const char* bytes, size_t count) {
  return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

/// Writes only the blocks that contain anything but zeros. Most blocks of a recording contain only
/// zeros; they become holes in the file, which need no space and no transfer.
bool write_what_is_there(int fd, const char* bytes, size_t count) {
  constexpr size_t kBlock = 4096;
  for (size_t at = 0; at < count; at += kBlock) {
    const size_t size = count - at < kBlock ? count - at : kBlock;
    if (is_zero(bytes + at, size)) continue;
    for (size_t done = 0; done < size;) {
      const ssize_t n = pwrite(fd, bytes + at + done, size - done, static_cast<off_t>(at + done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      done += static_cast<size_t>(n);
    }
  }
  return ftruncate(fd, static_cast<off_t>(count)) == 0;
}

}  // namespace

bool may_fail_when_mapped(uint64_t file_system_type) {
  for (const uint64_t type : kUnsafe)
    if (type == file_system_type) return true;
  return false;
}

bool create_staged(const Capacities& capacities) {
  const char* const wanted = env("APMT_STAGE");
  if (kRanksShareAProcess || (wanted != nullptr && strcmp(wanted, "off") == 0)) return false;
  if (wanted != nullptr && strcmp(wanted, "auto") != 0) return stage_in(wanted, capacities);
  if (!is_unsafe(state().run_dir)) return false;
  const char* const places[] = {env("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
  for (const char* place : places)
    if (can_stage_in(place) && !is_unsafe(place) && stage_in(place, capacities)) return true;
  return false;
}

const char* copy_home() {
  const uint64_t bytes = state().recording.header->file_bytes;
  if (!file_size_allowed(bytes)) return "the file size limit (ulimit -f) is too small";
  char part[kPathBytes];
  path_in_folder(part, sizeof part, "part");
  const int fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return strerror(errno);
  const bool is_written =
      write_what_is_there(fd, reinterpret_cast<const char*>(state().recording.header), bytes);
  const int error = errno;
  const bool is_closed = close(fd) == 0;  // some remote file systems report errors only here
  char home[kPathBytes];
  path_in_folder(home, sizeof home, "apmt");
  if (!is_written || !is_closed || rename(part, home) != 0) {
    const int reason = is_written ? errno : error;
    unlink(part);
    return strerror(reason);
  }
  unlink(state().staged);
  path_in_folder(part, sizeof part, "staged");
  unlink(part);
  return nullptr;
}

}  // namespace apmt::rt
