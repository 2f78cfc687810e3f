#include "kernels/analysers/address_counts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace apmt::kernels {
namespace {

/// 90 % of a number, rounded up as in AIWC's published tool.
std::uint64_t most_of(std::uint64_t total) {
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(total) * 0.9));
}

/// A histogram: for each number of accesses, how many addresses have this number. Small numbers,
/// which are frequent, are kept in a table.
class AddressesByCount {
 public:
  void add(std::uint64_t count) {
    if (count < small_.size())
      ++small_[count];
    else
      ++large_[count];
  }
  std::map<std::uint64_t, std::uint64_t> all() const {
    auto both = large_;
    for (std::uint64_t count = 1; count < small_.size(); ++count)
      if (small_[count] > 0) both[count] = small_[count];
    return both;
  }

 private:
  std::vector<std::uint64_t> small_ = std::vector<std::uint64_t>(4096);
  std::map<std::uint64_t, std::uint64_t> large_;
};

/// For each number of dropped low bits, addresses that differ only in these bits form a group. This
/// class sums a function of each group's number of accesses. Addresses must be added in ascending
/// order.
class GroupSums {
 public:
  explicit GroupSums(std::vector<double>* sums) : sums_(*sums) {}

  /// Adds the counts of a page, one for each granule. A page contains only whole groups.
  template <class Part>
  void add_page(std::vector<std::uint64_t>* counts, unsigned granule_log2, const Part& part) {
    // As long as at most granule_log2 bits are dropped, each granule is a group of its own.
    std::size_t groups = counts->size();
    for (std::size_t dropped = 1; dropped <= sums_.size(); ++dropped) {
      if (dropped > granule_log2) {
        groups /= 2;
        for (std::size_t g = 0; g < groups; ++g)
          (*counts)[g] = (*counts)[2 * g] + (*counts)[2 * g + 1];
      }
      double sum = sums_[dropped - 1];
      for (std::size_t g = 0; g < groups; ++g)
        if ((*counts)[g] != 0) sum += part((*counts)[g]);
      sums_[dropped - 1] = sum;
    }
  }

 private:
  std::vector<double>& sums_;
};

}  // namespace

std::uint64_t fewest_with_90_percent(std::vector<std::uint64_t> counts) {
  std::sort(counts.begin(), counts.end(), std::greater<>());
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  std::uint64_t covered = 0, needed = 0;
  while (covered < most_of(total)) covered += counts[needed++];
  return needed;
}

void AddressCounts::leave_out_pages() {
  while (rows_->bytes() + kMostForAPage > limit_bytes_ && one_page_of_log2_ < 32) {
    ++one_page_of_log2_;
    auto kept = std::make_unique<Shadow<Row>>(2);
    rows_->all_pages([&](std::uint64_t address, unsigned granule_log2, std::span<const Row> rows) {
      if (!is_in_part(address)) return;
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].reads != 0 || rows[i].writes != 0)
          kept->exactly_at(address + (i << granule_log2)) = rows[i];
    });
    rows_ = std::move(kept);
  }
}

AddressCounts::Summary AddressCounts::summary() {
  Summary s;
  AddressesByCount by_count;
  rows_->all_pages([&](std::uint64_t, unsigned, std::span<const Row> rows) {
    for (const Row& row : rows) {
      const std::uint64_t count = std::uint64_t{row.reads} + row.writes;
      if (count == 0) continue;
      s.reads += row.reads, s.writes += row.writes;
      s.unique_reads += row.reads > 0, s.unique_writes += row.writes > 0;
      ++s.unique;
      by_count.add(count);
    }
  });
  const std::map<std::uint64_t, std::uint64_t> addresses_with = by_count.all();
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
  s.local_entropies.resize(kDroppedBits);
  GroupSums groups(&s.local_entropies);
  std::vector<std::uint64_t> counts;
  rows_->all_pages([&](std::uint64_t, unsigned granule_log2, std::span<const Row> rows) {
    counts.clear();
    for (const Row& row : rows) counts.push_back(std::uint64_t{row.reads} + row.writes);
    groups.add_page(&counts, granule_log2, part);
  });
  if (one_page_of_log2_ > 0) {
    s.reads = reads_, s.writes = writes_;
    for (std::uint64_t* addresses : {&s.unique_reads, &s.unique_writes, &s.unique, &s.unique_90})
      *addresses <<= one_page_of_log2_;
    s.entropy += one_page_of_log2_;
    for (double& entropy : s.local_entropies) entropy += one_page_of_log2_;
  }
  return s;
}

}  // namespace apmt::kernels
