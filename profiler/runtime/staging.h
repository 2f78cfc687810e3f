// Staging: some file systems may fail when a program writes to a mapped file, because they are
// remote or need new space for every write. If the experiment is on such a file system, the
// recording is written on this node and copied when the process ends.
#pragma once

#include <stdint.h>

#include "profiler/runtime/recording_file.h"

namespace apmt::rt {

/// Whether writing to a mapped file may fail on a file system of this type (from statfs(2)): it is
/// remote, or copy-on-write.
bool may_fail_when_mapped(uint64_t file_system_type);

/// Creates the recording on this node if APMT_STAGE or the folder's file system requires it, and
/// leaves a link <name>.staged in the folder that tells where it is. False: it must be created in
/// the folder itself.
bool create_staged(const Capacities& capacities);

/// Copies the recording to the folder. nullptr on success, otherwise the reason; then both stay.
const char* copy_home();

}  // namespace apmt::rt
