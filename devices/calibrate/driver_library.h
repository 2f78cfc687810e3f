// A library of a driver. It is opened at run time, so that apmt can be built and started without
// it.
#pragma once

#include <string>
#include <vector>

namespace apmt::devices {

class DriverLibrary {
 public:
  /// Opens the first of the libraries that can be opened. Throws InputError with `hint` if none
  /// can.
  DriverLibrary(const std::vector<std::string>& names, const std::string& hint);

  /// Sets `function` to the function of this name. Throws InputError if there is none.
  template <class Function>
  void find(const char* name, Function* function) const {
    *function = reinterpret_cast<Function>(address(name));
  }

 private:
  void* address(const char* name) const;

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace apmt::devices
