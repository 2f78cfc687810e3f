// Finds the beginning and end of functions in the tables for unwinding the stack (.eh_frame_hdr and
// .eh_frame). Programs need these tables at run time, so they exist even in stripped files. libdw
// cannot be used: dwarf_cfi_addrframe() finds the entry of an address, but dwarf_frame_info() then
// gives only the range of one row of the entry, not where the function begins.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

struct Elf;  // of libelf

namespace apmt {

class UnwindBounds {
 public:
  UnwindBounds() = default;
  explicit UnwindBounds(Elf* elf);

  /// First address of the function that contains `address` (an address as in the file's tables);
  /// absent if the tables have no such function.
  std::optional<std::uint64_t> begin_of(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> ranges_;  // by begin
};

}  // namespace apmt
