// Reads the list of loaded objects that the loader keeps for debuggers (r_debug in link.h). It is
// the only such list that can be read without the loader's lock. While it is read, another thread
// may unload objects. So the list is read by a system call, which returns an error if the memory is
// gone; a plain read would crash. Everything here is async-signal-safe, but changes errno.
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

/// Finds the loaded object that begins nearest below `pc`; it need not contain `pc`. False if there
/// is none, or if the loader's list cannot be read now.
bool find_loaded_below(uint64_t pc, LoadedObject* found);

}  // namespace apmt::rt
