#include "devices/calibrate/driver_library.h"

#include <dlfcn.h>

#include "base/input_error.h"

namespace apmt::devices {

DriverLibrary::DriverLibrary(const std::vector<std::string>& names, const std::string& hint) {
  // Drivers have threads of their own, so their libraries stay loaded.
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    name_ = name;
    if (handle_ != nullptr) return;
  }
  const char* why = ::dlerror();
  throw InputError("", why != nullptr ? why : name_ + " cannot be opened", hint, ExitCode::kFailed);
}

void* DriverLibrary::address(const char* name) const {
  void* found = ::dlsym(handle_, name);
  if (found == nullptr)
    throw InputError(name_, std::string("has no function ") + name, "", ExitCode::kFailed);
  return found;
}

}  // namespace apmt::devices
