// A stand-in for a family's header in tests that need handles but no MPI.
#pragma once

#include <stdint.h>

inline uint64_t handle_bits(int handle) { return static_cast<uint32_t>(handle); }
