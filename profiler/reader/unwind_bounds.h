// Where functions begin and end by the tables for unwinding the stack (.eh_frame_hdr and
// .eh_frame): they are needed to run, so that they are there when all symbols are stripped. libdw's
// dwarf_cfi_addrframe tells the row of a table that holds an address, not where its function
// begins.
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

  /// First address of the function that holds `address` (of the file), when a table knows one.
  std::optional<std::uint64_t> begin_of(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> ranges_;  // by begin
};

}  // namespace apmt
