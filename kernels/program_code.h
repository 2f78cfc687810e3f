// The binary form of a Program, which a front end writes into an object file and the runtime reads.
// Little-endian: "apmtkern", the version, the names (count, then length and bytes of each; the
// empty name is not written), then each table in the order of Program (count, then its rows as laid
// out in memory).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels {

inline constexpr std::uint32_t kProgramVersion = 3;

std::vector<std::byte> encode(const Program& program);

struct Decoded {
  Program program;
  std::string fault;  // why the bytes are not a valid program; empty: they are valid
};
/// Accepts any bytes: returns a valid program or the fault.
Decoded decode(std::span<const std::byte> bytes);

}  // namespace apmt::kernels
