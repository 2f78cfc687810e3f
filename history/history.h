// Compares the times of a program over its versions: finds the versions at which the time of a
// kernel, of a part or of the whole program changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "history/change_points.h"
#include "profile/run_profile.h"

namespace apmt {

/// A run, and the folder name that identifies its experiment among several; empty if there is only
/// one experiment.
struct NamedRun {
  RunProfile run;
  std::string folder;
};

struct Version {
  std::string name;              // commit, build id, or the user's name for it
  std::vector<RunProfile> runs;  // of any process counts, in the order of their starts
};

/// One kernel, one part or the whole program at one process count and problem size.
struct HistoryPlace {
  int procs = 0;
  std::map<std::string, double> params;
  bool is_kernel = false;
  std::string what;  // kElapsed, "point-to-point", ..., or the kernel's name
  auto operator<=>(const HistoryPlace&) const = default;

  static constexpr const char* kElapsed = "elapsed";
  bool is_elapsed() const { return !is_kernel && what == kElapsed; }
};

/// The times at a place.
struct HistorySeries : HistoryPlace {
  std::string source;  // source file of a kernel, in the newest version that has the kernel
  /// By version: median over repetitions, mean over ranks.
  std::vector<std::optional<double>> seconds;
  std::vector<ChangePoint> changes;  // positions are indices into `versions`
  double share = 0;                  // largest share of the elapsed time in any version
};

struct History {
  struct Entry {
    std::string name;
    std::string since;  // start of its first run, ISO 8601
    int runs = 0;
  };
  std::string program;
  std::vector<Entry> versions;
  std::vector<HistorySeries> series;  // elapsed times first, then sorted by falling share
  std::vector<std::string> warnings;
};

struct HistoryOptions {
  /// `level` is for all series together. It is below 5 %, so that of a hundred histories without a
  /// change, rarely more than five report one.
  ChangeOptions change = {.level = 0.045};
  double least_share = 0.02;  // kernels and parts with a smaller share are left out
};

/// The version of a run's program: the value of the environment variable APMT_VERSION, GITHUB_SHA
/// or CI_COMMIT_SHA at the time of recording, else `folder`, else the build id of the executable.
/// Hashes are cut to ten digits. Empty if none of these is known.
std::string version_of(const RunProfile& run, const std::string& folder = {});

/// Groups runs by version; versions are sorted by the start of their first runs. Throws InputError
/// if the version of a run is unknown.
std::vector<Version> versions_of(std::vector<NamedRun> runs);

/// Functions are matched by name, even if their source has moved. If no time changed, the
/// probability that a change is reported in any series is at most `options.change.level`. Throws
/// InputError (exit 3) for fewer than two versions.
History make_history(const std::vector<Version>& versions, const HistoryOptions& options = {});

/// The series that are slower at their newest level than at the level before. A kernel or part is
/// left out if the elapsed time became shorter at about the same version: then its work was moved,
/// not made slower.
std::vector<const HistorySeries*> slower_now(const History& history);

/// The warnings of several experiments. If they differ only in numbers, the first stands for all,
/// with the number of the other experiments that have it.
std::vector<std::string> each_reason_once(const std::vector<std::vector<std::string>>& warnings);

}  // namespace apmt
