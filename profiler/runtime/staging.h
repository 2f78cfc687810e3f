// Staging: if the experiment is on a file system where writing to a mapped file may fail while the
// program runs (a remote one, or one that needs new space for every write), the recording is
// written on this node and copied when the process ends.
#pragma once

#include <stdint.h>

#include "profiler/runtime/recording_file.h"

namespace apmt::rt {

/// Whether a mapped file may fail, by the type of file system from statfs(2): remote, or
/// copy-on-write.
bool may_fail_when_mapped(uint64_t file_system_type);

/// Creates the recording on this node if APMT_STAGE or the folder's file system requires it, and
/// leaves a link <name>.staged in the folder with its place. False: it must be created in the
/// folder itself.
bool create_staged(const Capacities& capacities);

/// nullptr on success, otherwise the reason; then both files stay as they are.
const char* copy_home();

}  // namespace apmt::rt
