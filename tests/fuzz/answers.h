// Helpers of the fuzzers. For any input, a reader must return a value or throw InputError. Any
// other exception ends the process, which libFuzzer reports.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/input_error.h"

namespace apmt::fuzz {

/// Calls `read`; an InputError is a valid result.
template <typename Read>
int answers(const Read& read) {
  try {
    read();
  } catch (const InputError&) {
  }
  return 0;
}

/// An anonymous file (memfd) with the given bytes, for readers that need a path.
class File {
 public:
  File(const std::uint8_t* data, std::size_t size) : descriptor_(::memfd_create("fuzz", 0)) {
    if (descriptor_ < 0 || ::write(descriptor_, data, size) != static_cast<ssize_t>(size))
      std::abort();
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  std::filesystem::path path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace apmt::fuzz
