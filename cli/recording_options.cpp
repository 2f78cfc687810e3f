#include "cli/recording_options.h"

#include "cli/arguments.h"
#include "cli/installation.h"
#include "machine/event_choice.h"
#include "profiler/profile_format.h"
#include "reports/numbers.h"

namespace apmt {

void RecordingOptions::apply_to(LaunchOptions* launch) const {
  launch->interval_s = interval_ms * 1e-3;
  launch->memory_bytes = memory_mib << 20;
  launch->source = source;
  launch->rotate = rotate;
  launch->events = choose_events(events, configs_dir());
}

std::vector<std::string> RecordingOptions::words() const {
  const RecordingOptions usual;
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    words.insert(words.end(), {option, value});
  };
  if (interval_ms > 0) add("--interval", format_number(interval_ms));
  if (memory_mib > 0) add("--memory", std::to_string(memory_mib));
  if (source != usual.source) add("--source", source);
  if (events != usual.events) add("--events", events);
  if (rotate != usual.rotate) add("--rotate", rotate);
  return words;
}

void add_recording_options(Verb verb, RecordingOptions* options) {
  verb.add_option(
          "--interval", options->interval_ms,
          "Milliseconds of CPU time between samples [the shortest that costs less than 0.5 %]")
      .check(number(0.01, 10000.0));
  verb.add_option("--source", options->source, "Source of samples")
      .check(one_of({"auto", "hardware", "task-clock", "posix-timer"}))
      .shows_default();
  verb.add_option("--events", options->events,
                  "Hardware events: auto (what the model needs), basic (cycles, instructions), or "
                  "NAME[:PERIOD],...")
      .shows_default();
  verb.add_option("--rotate", options->rotate,
                  "When events need more counters than there are: count them on different ranks "
                  "and repetitions (ranks), or in time slices (time; scaled estimates)")
      .check(one_of({"ranks", "time"}))
      .shows_default();
  verb.add_option("--memory", options->memory_mib, "MiB of recording per rank [4]")
      .check(whole_number(1, static_cast<int>(format::kMaxRecordingBytes >> 20)));
}

}  // namespace apmt
