// Small table capacities for the recordings that tests write.
#pragma once

#include "profiler/runtime/recording_file.h"

namespace apmt::rt {

inline constexpr Capacities kSmall = {.text_bytes = 4096,
                                      .modules = 4,
                                      .threads = 4,
                                      .samples = 64,
                                      .ops = 16,
                                      .calls = 64,
                                      .peers = 16};

}  // namespace apmt::rt
