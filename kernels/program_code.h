// The binary form of a Program: what a front end writes into an object, and the runtime reads.
// Little-endian: "apmtkern", the version, the names (count, then length and bytes of each; the
// empty one is not written), then each table in the order of Program (count, then its rows as they
// are in memory).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels {

inline constexpr std::uint32_t kProgramVersion = 2;

std::vector<std::byte> encode(const Program& program);

struct Decoded {
  Program program;
  std::string fault;  // why the bytes are no program; empty: they are one
};
/// Returns a valid program or a sentence about the error, for any bytes.
Decoded decode(std::span<const std::byte> bytes);

}  // namespace apmt::kernels
