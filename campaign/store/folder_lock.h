// One process at a time at work on a folder, by a lock that dies with its owner.
#pragma once

#include <filesystem>
#include <optional>

namespace apmt {

class FolderLock {
 public:
  static constexpr const char* kFile = "lock";

  /// Makes the folder if it has to. Nothing when somebody else has the lock.
  static std::optional<FolderLock> try_to_take(const std::filesystem::path& folder);
  /// Tries for some seconds: somebody who only looks has it for a moment.
  static std::optional<FolderLock> take_patiently(const std::filesystem::path& folder, int seconds);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

  int fd() const { return fd_; }
  /// False where the file system has no locks: then everybody has it.
  bool is_real() const { return is_real_; }

 private:
  FolderLock(int fd, bool is_real) : fd_(fd), is_real_(is_real) {}
  int fd_;
  bool is_real_;
};

}  // namespace apmt
