// A block of memory for measurements. It is in huge pages if the kernel provides any, all its pages
// have been touched, and it is freed at the end of the scope.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "base/input_error.h"
#include "machine/topology.h"

namespace apmt {

class Arena {
 public:
  explicit Arena(std::uint64_t bytes, std::optional<int> node = std::nullopt)
      : bytes_((bytes + kHuge - 1) / kHuge * kHuge) {
    // A huge page begins at a multiple of its size, so there must be room to align.
    raw_ =
        ::mmap(nullptr, bytes_ + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw_ == MAP_FAILED)
      throw InputError("", "not enough memory for " + std::to_string(bytes_ >> 20) + " MiB", "",
                       ExitCode::kFailed);
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(raw_);
    begin_ = reinterpret_cast<char*>((at + kHuge - 1) / kHuge * kHuge);
    ::madvise(begin_, bytes_, MADV_HUGEPAGE);
    if (node && !Topology::here().bind_memory(begin_, bytes_, *node)) {
      ::munmap(raw_, bytes_ + kHuge);
      throw InputError("", "cannot allocate memory on node " + std::to_string(*node), "",
                       ExitCode::kFailed);
    }
    std::memset(begin_, 1, bytes_);
  }
  ~Arena() { ::munmap(raw_, bytes_ + kHuge); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  char* begin() const { return begin_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kHuge = std::uint64_t{2} << 20;
  std::uint64_t bytes_;
  void* raw_ = nullptr;
  char* begin_ = nullptr;
};

}  // namespace apmt
