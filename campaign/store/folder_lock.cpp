#include "campaign/store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/input_error.h"

namespace apmt {

namespace fs = std::filesystem;

std::optional<FolderLock> FolderLock::try_to_take(const fs::path& folder) {
  for (;;) {
    fs::create_directories(folder);
    const fs::path file = folder / kFile;
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 && errno == ENOENT) continue;  // another process has just removed the folder
    if (fd < 0)
      throw InputError(file.string(), std::string("cannot create: ") + std::strerror(errno), {},
                       ExitCode::kFailed);
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return FolderLock(fd, false);
      ::close(fd);
      return std::nullopt;
    }
    struct stat opened {};
    struct stat named {};
    if (::fstat(fd, &opened) == 0 && ::stat(file.c_str(), &named) == 0 &&
        opened.st_ino == named.st_ino)
      return FolderLock(fd, true);
    ::close(fd);
  }
}

std::optional<FolderLock> FolderLock::take_patiently(const fs::path& folder, int seconds) {
  constexpr int kTriesPerSecond = 10;
  std::optional<FolderLock> lock = try_to_take(folder);
  for (int i = 1; i < seconds * kTriesPerSecond && !lock; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1000 / kTriesPerSecond));
    std::optional<FolderLock> again = try_to_take(folder);
    if (again) return again;
  }
  return lock;
}

FolderLock::FolderLock(FolderLock&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), is_real_(other.is_real_) {}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

}  // namespace apmt
