// The contents of a folder running-<id>. It holds recordings of one or several launches, some of
// which may still be written. It also holds links to staged recordings (files on a node's own file
// system until they are copied), and the reasons why processes were not recorded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/reader/raw_recording.h"

namespace apmt {

/// A process on another machine that shows no activity for this long counts as dead.
inline constexpr std::int64_t kLease_s = 30 * 60;

/// This host's name, as it appears in recordings.
std::string this_host();

/// The recordings in a folder, sorted by name. Files whose recording was never begun, because the
/// process was killed first, are left out.
std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& dir);

/// Why the process of a recording may still be writing it. Absent if it cannot: the recording has
/// ended, or the process has ended or counts as dead.
std::optional<std::string> why_it_may_be_alive(const RecordingHead& head);

/// Whether any process may still be writing a recording of the folder.
bool still_written(const std::filesystem::path& running);

/// A recording that is staged on the node where its process runs.
struct Staged {
  std::filesystem::path link;  // <name>.staged
  std::string host;
  std::filesystem::path file;  // the path on that node
};
std::vector<Staged> staged_in(const std::filesystem::path& running);

/// Waits, for ten seconds at most, until ranks have ended: some run a moment longer than their
/// launcher.
void wait_until_gone(const std::filesystem::path& running);

/// Copies the recordings that killed processes left staged on this host; `running` has a link to
/// each. Returns one sentence for each that cannot be copied. A process makes the link before the
/// file, so a link without a file may only mean that the process has just started. Such a link is
/// reported only after a minute or, with `as_is`, as soon as the process has ended.
std::vector<std::string> bring_home(const std::filesystem::path& running, bool as_is);

/// Removes a folder running-* whose recordings are not wanted, and the recordings that its
/// processes staged on this host. If one of these processes still runs, its file and the folder
/// stay.
void discard(const std::filesystem::path& running);

/// One sentence for each recording that is still staged after bring_home(), and why: it is on
/// another host, its process is running, or it could not be copied.
std::vector<std::string> not_brought(const std::filesystem::path& running);

/// Why processes were not recorded: each reason once, with the number of processes. Removes the
/// links that hold the reasons.
std::vector<std::string> take_reasons(const std::filesystem::path& running);

}  // namespace apmt
