// How runs are recorded: the options that apmt record and apmt run share.
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

  /// Sets the launch options; chooses the events for this machine.
  void apply_to(LaunchOptions* launch) const;
  /// The options that differ from the default, as words of a command.
  std::vector<std::string> words() const;
};

void add_recording_options(Verb verb, RecordingOptions* options);

}  // namespace apmt
