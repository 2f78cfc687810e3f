// The content of a folder running-<id>: recordings of one or several launches, some of which may
// still be written; links to recordings that are staged on nodes; and reasons why processes were
// not recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/reader/raw_recording.h"

namespace apmt {

/// A process of another machine without a sign of activity for this long counts as dead.
inline constexpr std::int64_t kLease_s = 30 * 60;

/// This host's name, in the form that recordings use.
std::string this_host();

/// Recordings that were begun, sorted by name.
std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& dir);

/// Why the process of a recording may still be writing it; nothing if it is not.
std::optional<std::string> why_it_may_be_alive(const RecordingHead& head);

/// Whether any process of a folder may still be writing.
bool still_written(const std::filesystem::path& running);

/// A recording that its process left on its node.
struct Staged {
  std::filesystem::path link;  // <name>.staged
  std::string host;
  std::filesystem::path file;  // there
};
std::vector<Staged> staged_in(const std::filesystem::path& running);

/// Waits for ranks that still run for a moment after their launcher has ended, for ten seconds at
/// most.
void wait_until_gone(const std::filesystem::path& running);

/// Copies the recordings that killed processes of this host left on this node. Returns one sentence
/// for each that cannot be copied. A process makes the link before the file: a missing file is
/// reported only after a minute, or with `as_is` only once the process has ended.
std::vector<std::string> bring_home(const std::filesystem::path& running, bool as_is);

/// Removes a folder running-* whose recordings are not wanted, and what its processes staged on
/// this node. The files of running processes stay.
void discard(const std::filesystem::path& running);

/// One sentence for each recording that is still elsewhere: on another host, or on this one while
/// its process runs.
std::vector<std::string> not_brought(const std::filesystem::path& running);

/// The reasons why processes were not recorded, each once, with their number. The links that hold
/// them are removed.
std::vector<std::string> take_reasons(const std::filesystem::path& running);

}  // namespace apmt
