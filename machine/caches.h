// The data caches of a core, as the kernel tells.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

struct Cache {
  std::string name;  // "L1", "L2", "LLC" for the last when there are three
  std::uint64_t size_bytes = 0;
  std::uint64_t line_bytes = 64;
};

/// Of the first processor, the smallest first; empty when the kernel does not tell.
std::vector<Cache> read_caches(const std::filesystem::path& root = "/");

}  // namespace apmt
