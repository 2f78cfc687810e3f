// Whether a user means a function: by its linkage name, its name in the source, or its name as C++
// writes it, with or without parameters.
#pragma once

#include <string>

namespace apmt::kernels {

bool is_named(const std::string& linkage_name, const std::string& source_name,
              const std::string& wanted);

}  // namespace apmt::kernels
