// The recorder's handler runs on the alternate stack if there is one. A handler of the program that
// did not request that stack may need more room than the stack has, so it is called elsewhere.
#pragma once

#include <signal.h>

namespace apmt::sampler {

/// If the calling handler runs on the alternate stack and interrupted another stack: calls
/// `handler` on that stack, just as the kernel would, and does not return. Otherwise returns.
/// Async-signal-safe.
void move_to_interrupted_stack(int number, const siginfo_t* info, const void* context,
                               void (*handler)(int, siginfo_t*, void*));

}  // namespace apmt::sampler
