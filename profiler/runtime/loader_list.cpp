#include "profiler/runtime/loader_list.h"

#include <elf.h>
#include <string.h>

#include "profiler/runtime/peek.h"

namespace apmt::rt {
namespace {

bool find_entry_below(uint64_t pc, link_map* found) {
  constexpr int kMostObjects = 4096;
  *found = {};
  uint64_t at = reinterpret_cast<uint64_t>(_r_debug.r_map);
  for (int i = 0; i < kMostObjects && at != 0; ++i) {
    link_map object;
    if (_r_debug.r_state != r_debug::RT_CONSISTENT || !peek_safely(at, &object, sizeof object))
      return false;
    if (object.l_addr <= pc && object.l_addr > found->l_addr) *found = object;
    at = reinterpret_cast<uint64_t>(object.l_next);
  }
  return found->l_addr != 0;
}

bool copy_segments(LoadedObject* object) {
  ElfW(Ehdr) header;
  if (!peek_safely(object->bias, &header, sizeof header) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_phnum > LoadedObject::kMostSegments ||
      header.e_phentsize != sizeof *object->segments)
    return false;
  object->segment_count = header.e_phnum;
  return peek_safely(object->bias + header.e_phoff, object->segments,
                     header.e_phnum * sizeof *object->segments);
}

/// Reads page by page, because the page after the end of the path may not be mapped.
bool copy_path(const char* path, char* out, size_t capacity) {
  constexpr uint64_t kPageBytes = 4096;
  for (size_t length = 0; length + 1 < capacity;) {
    const uint64_t at = reinterpret_cast<uint64_t>(path) + length;
    const size_t in_page = kPageBytes - at % kPageBytes;
    const size_t room = capacity - 1 - length;
    const size_t bytes = in_page < room ? in_page : room;
    if (!peek_safely(at, out + length, bytes)) return false;
    if (memchr(out + length, '\0', bytes) != nullptr) return out[0] != '\0';
    length += bytes;
  }
  return false;
}

}  // namespace

bool find_loaded_below(uint64_t pc, LoadedObject* found) {
  link_map entry;
  if (!find_entry_below(pc, &entry)) return false;
  found->bias = entry.l_addr;
  return copy_segments(found) && copy_path(entry.l_name, found->path, sizeof found->path);
}

}  // namespace apmt::rt
