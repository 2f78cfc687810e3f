#include "devices/calibrate/system_memory.h"

#include <algorithm>
#include <fstream>

#include "base/input_error.h"

namespace apmt::devices {
namespace {

/// The number that follows the word `name` in the file; 0 if there is no such word or number.
std::uint64_t number_after(const std::filesystem::path& file, const std::string& name) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  for (std::string word; in >> word;)
    if (word == name) return in >> number ? number : 0;
  return 0;
}

/// The number at the start of the file; 0 if the file holds another word instead, such as "max".
std::uint64_t number_in(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : 0;
}

}  // namespace

SystemMemory system_memory(const std::filesystem::path& root) {
  const std::filesystem::path meminfo = root / "proc/meminfo";
  SystemMemory memory{.total_bytes = number_after(meminfo, "MemTotal:") * 1024,
                      .free_bytes = number_after(meminfo, "MemAvailable:") * 1024};
  // A container's limit (cgroup, version 2).
  const std::uint64_t limit = number_in(root / "sys/fs/cgroup/memory.max");
  const std::uint64_t used = number_in(root / "sys/fs/cgroup/memory.current");
  if (limit > used)
    memory.free_bytes =
        memory.free_bytes == 0 ? limit - used : std::min(memory.free_bytes, limit - used);
  return memory;
}

std::uint64_t half_of_memory(const std::filesystem::path& root) {
  const std::uint64_t bytes = system_memory(root).free_bytes;
  if (bytes == 0)
    throw InputError("/proc/meminfo", "does not state how much memory is free",
                     "--largest-bytes sets the largest size", ExitCode::kFailed);
  return bytes / 2;
}

}  // namespace apmt::devices
