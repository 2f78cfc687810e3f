// Reads a small file of /proc with plain system calls: no stdio, no allocation.
#pragma once

#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

namespace apmt::rt {

/// Reads up to capacity-1 bytes, zero terminated. Returns their number, 0 if nothing can be read.
inline size_t read_small_file(const char* path, char* out, size_t capacity) {
  out[0] = '\0';
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  size_t done = 0;
  while (done + 1 < capacity) {
    const ssize_t n = read(fd, out + done, capacity - 1 - done);
    if (n <= 0) break;
    done += static_cast<size_t>(n);
  }
  close(fd);
  out[done] = '\0';
  return done;
}

}  // namespace apmt::rt
