// Staging: on some file systems, writing to a mapped file may fail, because they are remote or need
// new space for every write. If the experiment is on such a file system, the recording is written
// on a disk of this node and copied to the experiment when the process ends.
#pragma once

#include <stdint.h>

#include "profiler/runtime/recording_file.h"

namespace apmt::rt {

/// Whether writing to a mapped file may fail on a file system of this type (from statfs(2)): it is
/// remote, or copy-on-write.
bool may_fail_when_mapped(uint64_t file_system_type);

/// Creates the recording on a disk of this node if APMT_STAGE or the file system of the launch's
/// folder (running-<id>) requires it. Also creates a link to it in this folder, <name>.staged.
/// Returns false if the recording must be created in the folder itself.
bool create_staged(const Capacities& capacities);

/// Copies the recording to the launch's folder. Returns nullptr on success, otherwise the
/// reason for the failure; then the recording on the node and its link are kept.
const char* copy_home();

}  // namespace apmt::rt
