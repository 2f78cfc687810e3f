// Shadow memory: stores a row of data for each granule of the program's memory that was touched; a
// new row is zero. The lookup has three steps without hashing: address space -> 4 GiB -> 64 KiB ->
// row; the last page is cached. Memory grows with the data that the program touches, up to a limit.
// All pages beyond the limit share the same rows, and overflowed() returns true.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "kernels/events.h"

namespace apmt::kernels {

/// Bytes per row in the tables of analysers that follow data from a write to a read.
inline constexpr std::uint64_t kShadowGranule = 4;
inline constexpr std::uint64_t kShadowLimitBytes = std::uint64_t{4} << 30;

template <class Row>
class Shadow {
 public:
  explicit Shadow(unsigned granule_log2, std::uint64_t limit_bytes = kShadowLimitBytes)
      : granule_log2_(granule_log2), limit_bytes_(limit_bytes), root_(kRoots) {}

  /// The row of the granule that contains an address.
  Row& at(std::uint64_t address) {
    const Page& page = page_of(address);
    return page.rows[(address & kPageMask) >> page.granule_log2];
  }

  /// Visits the rows of [address, address + bytes). In a page where parts of granules are accessed,
  /// each byte gets a row of its own, so that adjacent accesses do not share one.
  template <class Visit>
  void each(std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
    each_span(address, bytes, [&](std::span<Row> rows) {
      for (Row& row : rows) visit(row);
    });
  }
  /// The same, with as many adjacent rows at a time as possible.
  template <class Visit>
  void each_span(std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
    const std::uint64_t part = (address | bytes) & ((std::uint64_t{1} << granule_log2_) - 1);
    const std::uint64_t end = address + bytes;
    while (address < end) {
      Page& page = page_of(address);
      if (part != 0 && page.granule_log2 != 0) refine(&page, true);
      const std::uint64_t page_end = (address | kPageMask) + 1,
                          stop = end < page_end ? end : page_end;
      const std::uint64_t first = (address & kPageMask) >> page.granule_log2,
                          last = ((stop - 1) & kPageMask) >> page.granule_log2;
      visit(std::span<Row>(page.rows + first, last - first + 1));
      address = stop;
    }
  }

  /// The row of this address alone, without the rest of its granule.
  Row& exactly_at(std::uint64_t address) {
    Page& page = page_of(address);
    if ((address & ((std::uint64_t{1} << page.granule_log2) - 1)) != 0) refine(&page, false);
    return page.rows[(address & kPageMask) >> page.granule_log2];
  }

  /// The rows of addresses that advance by a stride, each alone.
  template <class Visit>
  void each_exactly(std::uint64_t address, std::uint64_t stride, std::uint64_t times,
                    const Visit& visit) {
    const auto step = static_cast<std::int64_t>(stride);
    while (times > 0) {
      Row* row = &exactly_at(address);
      const Page& page = page_of(address);
      std::uint64_t here = 1;  // executions whose rows lie in this page at equal distances
      if ((stride & ((std::uint64_t{1} << page.granule_log2) - 1)) == 0)
        here = std::min(times, step > 0   ? (kPageMask - (address & kPageMask)) / stride + 1
                               : step < 0 ? (address & kPageMask) / (0 - stride) + 1
                                          : times);
      for (std::uint64_t i = 0; i < here; ++i)
        visit(row[static_cast<std::int64_t>(i) * (step >> page.granule_log2)]);
      address += here * stride;
      times -= here;
    }
  }

  /// Calls `visit(address, row)` for every existing row, by ascending address.
  template <class Visit>
  void all(const Visit& visit) {
    for (std::uint64_t r = 0; r < kRoots; ++r)
      if (root_[r])
        for (std::uint64_t b = 0; b < root_[r]->size(); ++b) {
          const Page& page = (*root_[r])[b];
          if (page.rows == nullptr || page.rows == spare_.get()) continue;
          for (std::uint64_t i = 0; i < rows_of(page.granule_log2); ++i)
            visit((r << kBranchLog2 | b) << kPageLog2 | i << page.granule_log2, page.rows[i]);
        }
  }

  void clear() {
    root_.clear();
    root_.resize(kRoots);
    owned_.clear();
    spare_.reset();
    bytes_ = 0;
    last_ = nullptr;
    last_key_ = kNoKey;
    overflowed_ = false;
  }
  std::uint64_t bytes() const { return bytes_; }
  bool overflowed() const { return overflowed_; }

 private:
  static constexpr unsigned kPageLog2 = 16, kBranchLog2 = 16;
  static constexpr std::uint64_t kPageMask = (1u << kPageLog2) - 1;
  static constexpr std::uint64_t kRoots = kAddressLimit >> (kPageLog2 + kBranchLog2);
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

  struct Page {
    Row* rows = nullptr;
    unsigned granule_log2 = 0;
  };
  using Branch = std::vector<Page>;
  struct Free {
    void operator()(Row* rows) const { std::free(rows); }
  };
  using Rows = std::unique_ptr<Row[], Free>;

  static std::uint64_t rows_of(unsigned granule_log2) {
    return std::uint64_t{1} << (kPageLog2 - granule_log2);
  }

  Page& page_of(std::uint64_t address) {
    const std::uint64_t key = (address & (kAddressLimit - 1)) >> kPageLog2;
    if (key == last_key_) return *last_;
    auto& branch = root_[key >> kBranchLog2];
    if (!branch) {
      branch = std::make_unique<Branch>(std::size_t{1} << kBranchLog2);
      bytes_ += sizeof(Page) << kBranchLog2;
    }
    Page& page = (*branch)[key & ((1u << kBranchLog2) - 1)];
    if (page.rows == nullptr) page = {allocate(granule_log2_), granule_log2_};
    last_key_ = key;
    last_ = &page;
    return page;
  }

  Row* allocate(unsigned granule_log2) {
    const std::uint64_t bytes = rows_of(granule_log2) * sizeof(Row);
    Row* rows = nullptr;
    if (bytes_ + bytes <= limit_bytes_)
      rows = static_cast<Row*>(std::calloc(rows_of(granule_log2), sizeof(Row)));
    if (rows != nullptr) {
      owned_.emplace_back(rows);
      bytes_ += bytes;
      return rows;
    }
    overflowed_ = true;
    if (!spare_) spare_.reset(static_cast<Row*>(std::calloc(rows_of(0), sizeof(Row))));
    if (!spare_) std::abort();
    return spare_.get();
  }

  /// Gives each byte of a page a row. Copies a granule's row to all its bytes or only to the first.
  void refine(Page* page, bool all_bytes) {
    const Page coarse = *page;
    Row* fine = allocate(0);
    if (fine != spare_.get() && coarse.rows != spare_.get())
      for (std::uint64_t i = 0; i < rows_of(0); ++i)
        if (all_bytes || i % (std::uint64_t{1} << coarse.granule_log2) == 0)
          fine[i] = coarse.rows[i >> coarse.granule_log2];
    *page = {fine, 0};
  }

  unsigned granule_log2_;
  std::uint64_t limit_bytes_;
  std::vector<std::unique_ptr<Branch>> root_;
  std::vector<Rows> owned_;
  Rows spare_;  // shared by all pages beyond the limit
  std::uint64_t bytes_ = 0;
  Page* last_ = nullptr;
  std::uint64_t last_key_ = kNoKey;
  bool overflowed_ = false;
};

}  // namespace apmt::kernels
