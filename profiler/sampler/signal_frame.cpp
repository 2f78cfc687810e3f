// Copies the kernel's signal frame from the alternate stack to the end of the interrupted stack,
// and starts the handler there. When the handler returns, the kernel restores the state from the
// copy. So the alternate stack is not needed any more, and other handlers may use it.
#include "profiler/sampler/signal_frame.h"

#include <stdint.h>
#include <string.h>
#include <ucontext.h>

namespace apmt::sampler {

#if defined(__x86_64__)
namespace {

/// The layout of the kernel's rt_sigframe. The kernel's ucontext is shorter than the C library's.
constexpr size_t kContextAt = sizeof(void*);  // after the handler's return address
constexpr size_t kInfoAt = kContextAt + 304;
constexpr size_t kFrameBytes = kInfoAt + sizeof(siginfo_t);
constexpr uintptr_t kRedZoneBytes = 128;

/// The size of the saved floating-point state. All formats but the oldest contain a magic number
/// and their size.
size_t bytes_of_state(const char* state) {
  constexpr size_t kOldest = 512;
  constexpr size_t kMagicAt = 464;
  constexpr uint32_t kMagic = 0x46505853;
  uint32_t words[2];
  memcpy(words, state + kMagicAt, sizeof words);
  return words[0] == kMagic ? words[1] : kOldest;
}

bool is_within(const stack_t& stack, uintptr_t address) {
  return address - reinterpret_cast<uintptr_t>(stack.ss_sp) < stack.ss_size;
}

}  // namespace

void move_to_interrupted_stack(int number, const siginfo_t* info, const void* context,
                               void (*handler)(int, siginfo_t*, void*)) {
  const ucontext_t& from = *static_cast<const ucontext_t*>(context);
  const char* const frame = static_cast<const char*>(context) - kContextAt;
  const auto interrupted = static_cast<uintptr_t>(from.uc_mcontext.gregs[REG_RSP]);
  const bool is_kernels_layout = reinterpret_cast<const char*>(info) == frame + kInfoAt;
  if (!is_kernels_layout || !is_within(from.uc_stack, reinterpret_cast<uintptr_t>(frame)) ||
      is_within(from.uc_stack, interrupted))
    return;
  uintptr_t top = interrupted - kRedZoneBytes;
  const char* const state = reinterpret_cast<const char*>(from.uc_mcontext.fpregs);
  if (state != nullptr) {
    const size_t bytes = bytes_of_state(state);
    top = (top - bytes) & ~uintptr_t{63};
    memcpy(reinterpret_cast<void*>(top), state, bytes);
  }
  const uintptr_t copy = ((top - kFrameBytes) & ~uintptr_t{15}) - sizeof(void*);
  memcpy(reinterpret_cast<void*>(copy), frame, kFrameBytes);
  ucontext_t* const to = reinterpret_cast<ucontext_t*>(copy + kContextAt);
  if (state != nullptr) to->uc_mcontext.fpregs = reinterpret_cast<fpregset_t>(top);
  asm volatile("mov %[copy], %%rsp\n\tjmp *%[handler]"
               :
               : [copy] "r"(copy), [handler] "a"(handler), "D"(static_cast<long>(number)),
                 "S"(copy + kInfoAt), "d"(copy + kContextAt)
               : "memory");
  __builtin_unreachable();
}

#else

void move_to_interrupted_stack(int, const siginfo_t*, const void*,
                               void (*)(int, siginfo_t*, void*)) {}

#endif

}  // namespace apmt::sampler
