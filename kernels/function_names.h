// Decides whether a name that the user gave denotes a function. The name may be the function's
// linkage name, its name in the source, or its demangled C++ name, with or without parameters.
#pragma once

#include <string>

namespace apmt::kernels {

bool is_named(const std::string& linkage_name, const std::string& source_name,
              const std::string& wanted);

}  // namespace apmt::kernels
