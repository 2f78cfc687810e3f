// Memory for the duration of one call. A small piece is on the stack; a larger piece is one of a
// few fixed blocks. If no block is free or large enough, memory is mapped.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace apmt::shim {

class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    if (outside_ != nullptr) release();
  }
  /// To be called once per object; nullptr if there is no memory.
  void* get(size_t bytes) { return bytes <= sizeof inside_ ? inside_ : get_outside(bytes); }

 private:
  void* get_outside(size_t bytes);
  void release();

  void* outside_ = nullptr;
  size_t outside_bytes_ = 0;  // 0: the memory is one of the fixed blocks
  alignas(16) unsigned char inside_[4096];
};

}  // namespace apmt::shim
