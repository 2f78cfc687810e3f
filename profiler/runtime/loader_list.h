// The loader's list of loaded objects for debuggers (r_debug, link.h): the only one that may be
// read without the loader's lock. The list may change meanwhile, and its objects may be unloaded.
// So it is read through the kernel, which then returns an error instead of a crash. Everything here
// is async-signal-safe, but changes errno.
#pragma once

#include <link.h>
#include <stddef.h>
#include <stdint.h>

namespace apmt::rt {

struct LoadedObject {
  static constexpr int kMostSegments = 32;
  uint64_t bias;
  ElfW(Phdr) segments[kMostSegments];
  uint16_t segment_count;
  char path[4096];
};

/// The loaded object that begins nearest below `pc`; its code may contain `pc`. False when there is
/// none, or when the loader's list cannot be read now.
bool find_loaded_below(uint64_t pc, LoadedObject* found);

}  // namespace apmt::rt
