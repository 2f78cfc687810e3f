#include "pmpi-shim/core/unwinder.h"

#include <dlfcn.h>
#include <errno.h>

namespace apmt::shim {

Unwinder g_unwinder;

void find_unwinder() {
  void* const library = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  Unwinder found = {};
  found.backtrace =
      reinterpret_cast<decltype(found.backtrace)>(dlsym(library, "_Unwind_Backtrace"));
  found.cfa = reinterpret_cast<decltype(found.cfa)>(dlsym(library, "_Unwind_GetCFA"));
  found.ip = reinterpret_cast<decltype(found.ip)>(dlsym(library, "_Unwind_GetIP"));
  if (found.backtrace != nullptr && found.cfa != nullptr && found.ip != nullptr) g_unwinder = found;
}

void walk_stack(_Unwind_Trace_Fn step, void* data) {
  const int saved_errno = errno;
  g_unwinder.backtrace(step, data);
  errno = saved_errno;
}

}  // namespace apmt::shim
