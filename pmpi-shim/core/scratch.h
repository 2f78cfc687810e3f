// Memory for the duration of one call: on the stack if little is needed, otherwise from a few fixed
// blocks.
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
  /// One block per object; nullptr when there is no memory at all.
  void* get(size_t bytes) { return bytes <= sizeof inside_ ? inside_ : get_outside(bytes); }

 private:
  void* get_outside(size_t bytes);
  void release();

  void* outside_ = nullptr;
  size_t outside_bytes_ = 0;  // 0: one of the fixed blocks
  alignas(16) unsigned char inside_[4096];
};

}  // namespace apmt::shim
