// Wraps dlclose. The wrapper records objects before they are unloaded. Afterwards it makes sure
// that their samples are not mistaken for those of later objects at the same addresses. dlopen is
// not wrapped, because its effect depends on the object that calls it, and a wrapper's calls would
// all come from the recorder's library.

#include <dlfcn.h>
#include <errno.h>

#include "profiler/runtime/modules.h"
#include "profiler/runtime/threads.h"

namespace apmt::rt {
namespace {

using Dlclose = int (*)(void*);

int close_recorded(Dlclose real, void* handle) {
  {
    // The constructor of OwnWork also attributes samples that the kernel has written, before other
    // code can be at their addresses.
    const OwnWork own_work;
    record_modules();
  }
  const int result = real(handle);
  const int saved_errno = errno;
  const OwnWork own_work;
  detach_unloaded_modules();
  errno = saved_errno;
  return result;
}

}  // namespace
}  // namespace apmt::rt

extern "C" __attribute__((visibility("default"))) int dlclose(void* handle) {
  using namespace apmt::rt;
  static const Dlclose real = reinterpret_cast<Dlclose>(dlsym(RTLD_NEXT, "dlclose"));
  return followed() ? close_recorded(real, handle) : real(handle);
}
