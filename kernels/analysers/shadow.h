// Shadow memory: an analyser's data about the program's memory. Each granule of memory (a few
// bytes) that was touched has a row, initially zero. The lookup has three steps without hashing:
// address space -> 4 GiB -> 64 KiB (a page) -> row. A small cache of pages usually replaces the
// first two steps. Shadow memory grows with the data that the program touches, up to a limit. All
// pages beyond the limit share the same rows, and overflowed() returns true.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "kernels/analysers/zeroed_memory.h"
#include "kernels/events.h"

namespace apmt::kernels {

/// Bytes of a granule for analysers that follow data from a write to a read.
inline constexpr std::uint64_t kShadowGranule = 4;
inline constexpr std::uint64_t kShadowLimitBytes = std::uint64_t{4} << 30;

template <class Row>
class Shadow {
 public:
  explicit Shadow(unsigned granule_log2, std::uint64_t limit_bytes = kShadowLimitBytes)
      : granule_log2_(granule_log2), limit_bytes_(limit_bytes) {}

  /// The row of the granule that contains an address.
  Row& at(std::uint64_t address) {
    const Page page = page_of(address);
    return page.rows[(address & kPageMask) >> page.granule_log2];
  }

  /// Visits the rows of [address, address + bytes). Once a part of a granule is accessed, each byte
  /// of its page gets a row of its own, so that adjacent accesses do not share a row.
  template <class Visit>
  void each(std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
    const Page page = page_of(address);
    const std::uint64_t offset = address & kPageMask;
    if (is_whole(page, address | bytes) && offset + bytes <= kPageMask + 1) {
      Row* row = page.rows + (offset >> page.granule_log2);
      for (std::uint64_t i = bytes >> page.granule_log2; i > 0; --i) visit(*row++);
      return;
    }
    each_span(address, bytes, [&](std::span<Row> rows) {
      for (Row& row : rows) visit(row);
    });
  }
  /// Like each(), but visits as many adjacent rows at a time as possible.
  template <class Visit>
  void each_span(std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
    const std::uint64_t end = address + bytes, both = address | bytes;
    for (std::uint64_t stop; address < end; address = stop) {
      stop = std::min(end, (address | kPageMask) + 1);
      Page page = page_of(address);
      if (!is_whole(page, both)) page = refine(key_of(address), true);
      visit(rows_of(page, address, stop));
    }
  }
  /// Like each(), for rows that are only read. Memory that was never written has no rows: they
  /// count as zero and are not visited.
  template <class Visit>
  void each_read(std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
    const Page page = page_if_any(address);
    const std::uint64_t offset = address & kPageMask;
    if (page.rows != nullptr && is_whole(page, address | bytes) &&
        offset + bytes <= kPageMask + 1) {
      const Row* row = page.rows + (offset >> page.granule_log2);
      for (std::uint64_t i = bytes >> page.granule_log2; i > 0; --i) visit(*row++);
      return;
    }
    each_read_span(address, bytes, [&](std::span<const Row> rows) {
      for (const Row& row : rows) visit(row);
    });
  }
  template <class Visit>
  void each_read_span(std::uint64_t address, std::uint64_t bytes, const Visit& visit) {
    const std::uint64_t end = address + bytes;
    for (std::uint64_t stop; address < end; address = stop) {
      stop = std::min(end, (address | kPageMask) + 1);
      const Page page = page_if_any(address);
      if (page.rows != nullptr) visit(std::span<const Row>(rows_of(page, address, stop)));
    }
  }

  /// The row of this address alone, without the rest of its granule.
  Row& exactly_at(std::uint64_t address) {
    Page page = page_of(address);
    if (!is_whole(page, address)) page = refine(key_of(address), false);
    return page.rows[(address & kPageMask) >> page.granule_log2];
  }

  /// Visits the rows of addresses that advance by a stride, each row by itself.
  template <class Visit>
  void each_exactly(std::uint64_t address, std::uint64_t stride, std::uint64_t times,
                    const Visit& visit) {
    const auto step = static_cast<std::int64_t>(stride);
    while (times > 0) {
      Row* row = &exactly_at(address);
      const Page page = page_of(address);
      std::uint64_t here = 1;  // executions whose rows lie in this page at equal distances
      if (is_whole(page, stride)) here = within_page(address, 1, stride, times);
      for (std::uint64_t i = 0; i < here; ++i)
        visit(row[static_cast<std::int64_t>(i) * (step >> page.granule_log2)]);
      address += here * stride;
      times -= here;
    }
  }

  /// Visits the rows of accesses that cover whole granules and advance by a stride of whole
  /// granules. Calls `visit(number of the access, its first row, its number of rows, distance to
  /// the next access in rows, number of accesses)` with as many accesses at a time as possible. An
  /// access that crosses the end of a page is visited part by part.
  template <class Visit>
  void each_strided(std::uint64_t address, std::uint64_t stride, std::uint64_t bytes,
                    std::uint64_t times, const Visit& visit) {
    for (std::uint64_t i = 0, here; i < times; i += here, address += here * stride) {
      const Page page = page_of(address);
      here = within_page(address, bytes, stride, times - i);
      if (here == 0) {
        each_span(address, bytes,
                  [&](std::span<Row> rows) { visit(i, rows.data(), rows.size(), 0, 1); });
        here = 1;
      } else {
        visit(i, page.rows + ((address & kPageMask) >> page.granule_log2),
              bytes >> page.granule_log2, static_cast<std::int64_t>(stride) >> page.granule_log2,
              here);
      }
    }
  }
  /// Like each_strided(), for rows that are only read. Where nothing was written, a single row of
  /// zeros stands for all rows.
  template <class Visit>
  void each_strided_read(std::uint64_t address, std::uint64_t stride, std::uint64_t bytes,
                         std::uint64_t times, const Visit& visit) {
    static constexpr Row kZero{};
    for (std::uint64_t i = 0, here; i < times; i += here, address += here * stride) {
      const Page page = page_if_any(address);
      here = within_page(address, bytes, stride, times - i);
      if (here == 0) {
        visit(i, &kZero, 1, 0, 1);
        each_read_span(address, bytes, [&](std::span<const Row> rows) {
          visit(i, rows.data(), rows.size(), 0, 1);
        });
        here = 1;
      } else if (page.rows == nullptr) {
        visit(i, &kZero, 1, 0, here);
      } else {
        visit(i, page.rows + ((address & kPageMask) >> page.granule_log2),
              bytes >> page.granule_log2, static_cast<std::int64_t>(stride) >> page.granule_log2,
              here);
      }
    }
  }

  /// Calls `visit(address, row)` for every existing row, by ascending address.
  template <class Visit>
  void all(const Visit& visit) {
    std::sort(keys_.begin(), keys_.end());
    for (const std::uint64_t key : keys_) {
      const Page& page = *place_of(key, true);
      for (std::uint64_t i = 0; i < rows_of(page.granule_log2); ++i)
        visit(key << kPageLog2 | i << page.granule_log2, page.rows[i]);
    }
  }
  /// Calls `visit(address, log2 of a granule's bytes, rows)` for each page, by ascending address.
  template <class Visit>
  void all_pages(const Visit& visit) {
    std::sort(keys_.begin(), keys_.end());
    for (const std::uint64_t key : keys_) {
      const Page& page = *place_of(key, true);
      visit(key << kPageLog2, page.granule_log2,
            std::span<const Row>(page.rows, rows_of(page.granule_log2)));
    }
  }

  /// How many successive accesses, from the first one on, lie in the page of the first access; 0 if
  /// the first access crosses the end of the page.
  static std::uint64_t within_page(std::uint64_t address, std::uint64_t bytes, std::uint64_t stride,
                                   std::uint64_t times) {
    const std::uint64_t offset = address & kPageMask;
    if (offset + bytes > kPageMask + 1) return 0;
    if (static_cast<std::int64_t>(stride) > 0) {
      const std::uint64_t left = kPageMask + 1 - bytes - offset;
      return std::min(times, left / stride + 1);
    }
    if (stride == 0) return times;
    return std::min(times, offset / (0 - stride) + 1);
  }

  void clear() {
    memory_.clear();
    root_ = nullptr;
    spare_ = nullptr;
    keys_.clear();
    bytes_ = 0;
    cached_.fill({});
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
  struct Cached {
    std::uint64_t key = kNoKey;
    Page page;
  };
  static constexpr unsigned kCachedLog2 = 5;

  static std::uint64_t rows_of(unsigned granule_log2) {
    return std::uint64_t{1} << (kPageLog2 - granule_log2);
  }
  static std::span<Row> rows_of(const Page& page, std::uint64_t address, std::uint64_t end) {
    const std::uint64_t first = (address & kPageMask) >> page.granule_log2,
                        last = ((end - 1) & kPageMask) >> page.granule_log2;
    return {page.rows + first, last - first + 1};
  }
  /// Whether several numbers are all multiples of the page's granule; `numbers` is their bitwise
  /// or.
  static bool is_whole(const Page& page, std::uint64_t numbers) {
    return (numbers & ((std::uint64_t{1} << page.granule_log2) - 1)) == 0;
  }
  static std::uint64_t key_of(std::uint64_t address) {
    return (address & (kAddressLimit - 1)) >> kPageLog2;
  }
  /// The place of a page in the cache. Neighbouring pages have different places, and so do most
  /// pages at a distance of a power of two.
  Cached& cached(std::uint64_t key) {
    return cached_[key * 0x9e3779b97f4a7c15u >> (64 - kCachedLog2)];
  }

  Page page_of(std::uint64_t address) {
    const std::uint64_t key = key_of(address);
    const Cached& known = cached(key);
    return known.key == key && known.page.rows != nullptr ? known.page : find_page(key, true);
  }
  /// The page that contains an address. If nothing was written to the page, the result has no rows.
  Page page_if_any(std::uint64_t address) {
    const std::uint64_t key = key_of(address);
    const Cached& known = cached(key);
    return known.key == key ? known.page : find_page(key, false);
  }

  __attribute__((noinline)) Page find_page(std::uint64_t key, bool makes) {
    Page* const page = place_of(key, makes);
    if (page != nullptr && page->rows == nullptr && makes) {
      *page = {allocate(granule_log2_), granule_log2_};
      if (page->rows != spare_) keys_.push_back(key);
    }
    cached(key) = {key, page == nullptr ? Page{} : *page};
    return cached(key).page;
  }

  /// The page with this key. If there is none, makes one if `makes`, otherwise returns nullptr.
  Page* place_of(std::uint64_t key, bool makes) {
    if (root_ == nullptr && !makes) return nullptr;
    if (root_ == nullptr) root_ = static_cast<Page**>(table(kRoots * sizeof(Page*)));
    Page*& branch = root_[key >> kBranchLog2];
    if (branch == nullptr) {
      if (!makes) return nullptr;
      branch = static_cast<Page*>(table(sizeof(Page) << kBranchLog2));
      bytes_ += sizeof(Page) << kBranchLog2;
    }
    return branch + (key & ((1u << kBranchLog2) - 1));
  }
  void* table(std::size_t bytes) {
    void* made = memory_.take_sparse(bytes);
    if (made == nullptr) std::abort();
    return made;
  }

  Row* allocate(unsigned granule_log2) {
    const std::uint64_t bytes = rows_of(granule_log2) * sizeof(Row);
    if (bytes_ + bytes <= limit_bytes_)
      if (void* rows = memory_.take(bytes)) {
        bytes_ += bytes;
        return static_cast<Row*>(rows);
      }
    overflowed_ = true;
    if (spare_ == nullptr) spare_ = static_cast<Row*>(table(rows_of(0) * sizeof(Row)));
    return spare_;
  }

  /// Gives each byte of a page a row of its own. Copies the row of each granule to all its bytes
  /// or, unless `all_bytes`, only to the first.
  Page refine(std::uint64_t key, bool all_bytes) {
    Page* const page = place_of(key, true);
    const Page coarse = *page;
    Row* fine = allocate(0);
    if (fine != spare_ && coarse.rows != spare_)
      for (std::uint64_t i = 0; i < rows_of(0); ++i)
        if (all_bytes || i % (std::uint64_t{1} << coarse.granule_log2) == 0)
          fine[i] = coarse.rows[i >> coarse.granule_log2];
    *page = {fine, 0};
    cached(key) = {key, *page};
    return *page;
  }

  unsigned granule_log2_;
  std::uint64_t limit_bytes_;
  ZeroedMemory memory_;
  Page** root_ = nullptr;
  std::vector<std::uint64_t> keys_;  // of pages that have rows
  Row* spare_ = nullptr;             // shared by all pages beyond the limit
  std::uint64_t bytes_ = 0;
  std::array<Cached, 1 << kCachedLog2> cached_;
  bool overflowed_ = false;
};

}  // namespace apmt::kernels
