// The loader's list of what it has loaded, which it keeps for debuggers (r_debug, link.h): the only
// one that may be read without the loader's lock. It may be changing meanwhile, and what it names
// may be unloaded: the kernel reads it for us, where that is an error and not a crash. Everything
// here is async-signal-safe, but changes errno.
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
