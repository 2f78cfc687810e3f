// What lies in a folder running-<id>: recordings of processes, of one launch or of many, some of
// which may still be written; links to recordings that are staged on nodes; reasons why there are
// none.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/reader/raw_recording.h"

namespace apmt {

/// A process of another machine that has not been heard of for so long is taken for dead.
inline constexpr std::int64_t kLease_s = 30 * 60;

/// As recordings name it.
std::string this_host();

/// Recordings that were begun, in order of their names.
std::vector<std::filesystem::path> recordings_in(const std::filesystem::path& dir);

/// Why the process of a recording may still be writing it; nothing when it is not.
std::optional<std::string> why_it_may_be_alive(const RecordingHead& head);

/// Whether any process of a folder may.
bool still_written(const std::filesystem::path& running);

/// A recording that its process left on its node.
struct Staged {
  std::filesystem::path link;  // <name>.staged
  std::string host;
  std::filesystem::path file;  // there
};
std::vector<Staged> staged_in(const std::filesystem::path& running);

/// Ranks whose launcher has ended take a moment to notice: waits for them, ten seconds at most.
void wait_until_gone(const std::filesystem::path& running);

/// Copies what processes of this host left here when they were killed. One sentence for each that
/// cannot be had. A process makes the link before the file: for a minute, nothing is missed where
/// there is none yet, or as long as the process is there when no more is to come (`as_is`).
std::vector<std::string> bring_home(const std::filesystem::path& running, bool as_is);

/// Removes a folder running-* whose recordings nobody wants, and what its processes staged on this
/// node. What still runs keeps its file.
void discard(const std::filesystem::path& running);

/// One sentence for each recording that still lies elsewhere: on another host, or here, where its
/// process runs.
std::vector<std::string> not_brought(const std::filesystem::path& running);

/// Why processes were not recorded, each sentence once, and how many. They are removed.
std::vector<std::string> take_reasons(const std::filesystem::path& running);

}  // namespace apmt
