// The address at which a sample was taken, in the form in which all samplers record it.
// Async-signal-safe.
#pragma once

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "profiler/runtime/threads.h"

namespace apmt::rt {

/// The program counter in a signal's context.
inline uint64_t program_counter(const void* context) {
  const ucontext_t* c = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<uint64_t>(c->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return c->uc_mcontext.pc;
#elif defined(__powerpc64__)
  return c->uc_mcontext.gp_regs[32];
#else
#error "say where this architecture keeps the program counter"
#endif
}

/// The key of a sample of this thread at `pc`. The key of a sample inside MPI has the operation and
/// the address from which the program called it.
inline uint64_t key_of_sample(const ThreadState& t, uint64_t pc) {
  return t.op != 0 ? format::sample_key(t.caller_pc, t.op, stage())
                   : format::sample_key(pc, 0, stage());
}

}  // namespace apmt::rt
