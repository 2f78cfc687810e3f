// The options of apmt record and apmt run that say how runs are recorded.
#pragma once

#include <string>
#include <vector>

#include "campaign/launch.h"
#include "cli/arguments.h"

namespace apmt {

struct RecordingOptions {
  double interval_ms = 0;
  std::size_t memory_mib = 0;
  std::string source = "auto";
  std::string events = "auto";
  std::string rotate = "ranks";

  /// Sets the launch options, including the hardware events that suit this machine.
  void apply_to(LaunchOptions* launch) const;
  /// The options that differ from their defaults, as words of a command line.
  std::vector<std::string> words() const;
};

void add_recording_options(Verb verb, RecordingOptions* options);

}  // namespace apmt
