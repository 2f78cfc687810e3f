// How much memory this machine has, as Linux says.
#pragma once

#include <cstdint>
#include <filesystem>

namespace apmt::devices {

struct SystemMemory {
  std::uint64_t total_bytes = 0;  // 0: unknown
  std::uint64_t free_bytes = 0;   // that this process may use; 0: unknown
};

/// Tests set `root`, below which the kernel's files are.
SystemMemory system_memory(const std::filesystem::path& root = "/");

/// Half of the bytes of memory that are now free. Throws InputError if they are unknown.
std::uint64_t half_of_memory(const std::filesystem::path& root = "/");

}  // namespace apmt::devices
