// A lock on the file of a store.
#pragma once

#include <string>

namespace apmt::service {

/// A lock that a server holds as long as it runs. It ensures that only one server uses a file, and
/// that the file is not restored meanwhile.
class StoreLock {
 public:
  explicit StoreLock(const std::string& store_file);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace apmt::service
