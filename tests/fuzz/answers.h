// What every reader must do with any input: return a value or throw InputError. Anything else ends
// the process.
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

/// The bytes as a nameless file, for readers that need a file.
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
