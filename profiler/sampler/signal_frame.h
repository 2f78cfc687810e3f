// Moves from the alternate signal stack to the interrupted stack. The recorder's handler runs on
// the alternate stack if there is one. A handler of the program that did not request this
// (SA_ONSTACK) may need more room than the alternate stack has, so it must be called on the
// interrupted stack.
#pragma once

#include <signal.h>

namespace apmt::sampler {

/// If the calling handler runs on the alternate stack and interrupted code on another stack: calls
/// `handler` on that other stack, just as the kernel would, and does not return. Otherwise, and
/// always on processors other than x86-64, returns without calling `handler`. Async-signal-safe.
void move_to_interrupted_stack(int number, const siginfo_t* info, const void* context,
                               void (*handler)(int, siginfo_t*, void*));

}  // namespace apmt::sampler
