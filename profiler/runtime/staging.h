// A recording that would lie on a file system where a mapped file may fail under the program's
// hands (a remote one from which it is removed, or one that needs new space for every write) is
// written on this node and copied when the process ends.
#pragma once

#include <stdint.h>

#include "profiler/runtime/recording_file.h"

namespace apmt::rt {

/// By statfs(2): remote, or copy-on-write.
bool may_fail_when_mapped(uint64_t file_system_type);

/// Creates the recording on this node, where APMT_STAGE says, or where the folder's file system
/// asks for it, and leaves a link <name>.staged in the folder that says where it is. False: it is
/// to be created in the folder itself.
bool create_staged(const Capacities& capacities);

/// nullptr on success; why not otherwise, then both files stay as they are.
const char* copy_home();

}  // namespace apmt::rt
