// Finds the C library's functions behind those that the sampler interposes.
#pragma once

#include <dlfcn.h>

namespace apmt::sampler {

/// Sets `function` to the function of this name that comes next in the loader's order. Must not be
/// called in a signal handler.
template <class Function>
void find_next(Function* function, const char* name) {
  *function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace apmt::sampler
