#pragma once

#include <cstdint>

namespace apmt::kernels {

/// The most that the analysers had at once.
std::uint64_t most_own_memory_bytes();

}  // namespace apmt::kernels
