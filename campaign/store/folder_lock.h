// A lock that lets one process at a time work on a folder; it is released when its owner ends.
#pragma once

#include <filesystem>
#include <optional>

namespace apmt {

class FolderLock {
 public:
  static constexpr const char* kFile = "lock";

  /// Makes the folder if necessary. Returns nothing if another process has the lock.
  static std::optional<FolderLock> try_to_take(const std::filesystem::path& folder);
  /// Tries for some seconds, because a process that only checks the folder soon releases the lock.
  static std::optional<FolderLock> take_patiently(const std::filesystem::path& folder, int seconds);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

  int fd() const { return fd_; }
  /// False if the file system has no locks: then every process seems to get the lock.
  bool is_real() const { return is_real_; }

 private:
  FolderLock(int fd, bool is_real) : fd_(fd), is_real_(is_real) {}
  int fd_;
  bool is_real_;
};

}  // namespace apmt
