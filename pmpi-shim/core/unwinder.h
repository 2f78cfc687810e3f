// The compiler's stack unwinder (libgcc_s), if the program has loaded it. The shim is not linked to
// libgcc_s.
#pragma once

#include <stdint.h>
#include <unwind.h>

namespace apmt::shim {

struct Unwinder {
  _Unwind_Reason_Code (*backtrace)(_Unwind_Trace_Fn, void*);  // nullptr: there is no unwinder
  _Unwind_Word (*cfa)(struct _Unwind_Context*);
  _Unwind_Ptr (*ip)(struct _Unwind_Context*);
};
extern Unwinder g_unwinder;

/// To be called at MPI_Init.
void find_unwinder();

/// Calls `step` for each frame of the stack. Keeps errno.
void walk_stack(_Unwind_Trace_Fn step, void* data);

}  // namespace apmt::shim
