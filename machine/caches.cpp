#include "machine/caches.h"

#include <algorithm>
#include <map>

#include "machine/small_file.h"

namespace apmt {

std::vector<Cache> read_caches(const std::filesystem::path& root) {
  std::map<long long, Cache> by_level;
  for (int index = 0; index < 16; ++index) {
    const std::filesystem::path folder =
        root / ("sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index));
    const auto level = read_small_number(folder / "level");
    const auto size = read_small_number(folder / "size");  // "48K"
    const std::string text = read_small_file(folder / "size").value_or("");
    if (!level || !size || *size <= 0) continue;
    if (read_small_file(folder / "type").value_or("") == "Instruction") continue;
    const std::uint64_t unit = text.back() == 'K' ? 1024 : text.back() == 'M' ? 1024 * 1024 : 1;
    Cache& cache = by_level[*level];
    cache.size_bytes = static_cast<std::uint64_t>(*size) * unit;
    if (const auto line = read_small_number(folder / "coherency_line_size"); line && *line > 0)
      cache.line_bytes = static_cast<std::uint64_t>(*line);
  }
  std::vector<Cache> caches;
  for (auto& [level, cache] : by_level) {
    cache.name = level <= 2 ? "L" + std::to_string(level) : "LLC";
    if (level == 3 && by_level.rbegin()->first > 3) continue;  // the last one counts
    caches.push_back(cache);
  }
  return caches;
}

}  // namespace apmt
