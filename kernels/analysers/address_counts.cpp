#include "kernels/analysers/address_counts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace apmt::kernels {
namespace {

/// Computes 90 % of a number as the published tool rounds it.
std::uint64_t most_of(std::uint64_t total) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(total) * 0.9));
}

}  // namespace

std::uint64_t fewest_with_90_percent(std::vector<std::uint64_t> counts) {
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  std::uint64_t covered = 0, needed = 0;
  while (covered < most_of(total)) covered += counts[needed++];
  return needed;
}

AddressCounts::Summary AddressCounts::summary() {
  Summary s;
  std::map<std::uint64_t, std::uint64_t> addresses_with;  // number of accesses -> addresses
  std::uint64_t last_count = 0, *last_addresses = nullptr;
  rows_.all([&](std::uint64_t, const Row& row) {
    const std::uint64_t count = std::uint64_t{row.reads} + row.writes;
    if (count == 0) return;
    s.reads += row.reads, s.writes += row.writes;
    s.unique_reads += row.reads > 0, s.unique_writes += row.writes > 0;
    ++s.unique;
    if (count != last_count) last_addresses = &addresses_with[last_count = count];
    ++*last_addresses;
  });
  const std::uint64_t total = s.reads + s.writes;

  std::uint64_t covered = 0;
  for (auto at = addresses_with.rbegin(); at != addresses_with.rend(); ++at) {
    if (covered >= most_of(total)) break;
    const std::uint64_t wanted = (most_of(total) - covered + at->first - 1) / at->first;
    s.unique_90 += std::min(wanted, at->second);
    covered += std::min(wanted, at->second) * at->first;
  }

  const auto exact_part = [&](std::uint64_t count) {
    const double p = static_cast<double>(count) / static_cast<double>(total);
    return count == 0 ? 0.0 : -p * std::log2(p);
  };
  std::vector<double> parts(std::min<std::uint64_t>(total + 1, 4096));
  for (std::size_t count = 0; count < parts.size(); ++count) parts[count] = exact_part(count);
  const auto part = [&](std::uint64_t count) {
    return count < parts.size() ? parts[count] : exact_part(count);
  };
  for (const auto& [count, addresses] : addresses_with)
    s.entropy += static_cast<double>(addresses) * part(count);
  std::vector<std::uint64_t> group(kDroppedBits), counted(kDroppedBits);
  s.local_entropies.resize(kDroppedBits);
  // Addresses come in ascending order, so addresses that differ only in low bits are adjacent.
  // When a group of such addresses ends, its count is added to the group that drops one more bit.
  const auto end_groups = [&](std::uint64_t next) {
    for (std::size_t k = 0; k < kDroppedBits && next >> (k + 1) != group[k]; ++k) {
      s.local_entropies[k] += part(counted[k]);
      if (k + 1 < kDroppedBits) counted[k + 1] += counted[k];
      group[k] = next >> (k + 1);
      counted[k] = 0;
    }
  };
  rows_.all([&](std::uint64_t address, const Row& row) {
    const std::uint64_t count = std::uint64_t{row.reads} + row.writes;
    if (count == 0) return;
    end_groups(address);
    counted[0] += count;
  });
  end_groups(~std::uint64_t{0});
  return s;
}

}  // namespace apmt::kernels
