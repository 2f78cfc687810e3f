// Finds segments of a loaded object in the loader's description.
#pragma once

#include <link.h>
#include <stdint.h>

namespace apmt::rt {

/// Calls `visit` with each segment of a type (PT_LOAD, ...) until a call returns true.
template <typename Visit>
void find_segment(const dl_phdr_info& object, uint32_t type, const Visit& visit) {
  for (int i = 0; i < object.dlpi_phnum; ++i)
    if (object.dlpi_phdr[i].p_type == type && visit(object.dlpi_phdr[i])) return;
}

struct MappedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  bool contains(uint64_t address) const { return address >= begin && address < end; }
};

/// From the first mapped byte of an object to the byte after the last; empty if nothing is mapped.
inline MappedRange mapped_range(const dl_phdr_info& object) {
  MappedRange range;
  find_segment(object, PT_LOAD, [&](const ElfW(Phdr) & segment) {
    const uint64_t begin = object.dlpi_addr + segment.p_vaddr;
    const uint64_t end = begin + segment.p_memsz;
    if (range.end == 0 || begin < range.begin) range.begin = begin;
    if (end > range.end) range.end = end;
    return false;
  });
  return range;
}

}  // namespace apmt::rt
