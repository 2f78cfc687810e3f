#include "service/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/input_error.h"

namespace apmt::service {

StoreLock::StoreLock(const std::string& store_file) {
  const std::string file = store_file + ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0)
    throw InputError(file, std::strerror(errno), "check that the folder exists and may be written",
                     ExitCode::kFailed);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw InputError(store_file, "is in use by another apmt serve", "stop that one first",
                     ExitCode::kFailed);
  }
}

StoreLock::~StoreLock() { ::close(descriptor_); }

}  // namespace apmt::service
