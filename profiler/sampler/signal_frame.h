// Our handler runs on the alternate stack where there is one. A handler of the program's that did
// not ask for it may need more room than that stack has.
#pragma once

#include <signal.h>

namespace apmt::sampler {

/// Where the caller, a handler, runs on the alternate stack and interrupted another one: calls
/// `handler` there, just as the kernel would, and does not return. Elsewhere it returns.
/// Async-signal-safe.
void move_to_interrupted_stack(int number, const siginfo_t* info, const void* context,
                               void (*handler)(int, siginfo_t*, void*));

}  // namespace apmt::sampler
