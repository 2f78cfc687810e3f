#include "history/history.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <tuple>

#include "base/input_error.h"
#include "base/listed.h"
#include "base/words.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

std::string shortened(const std::string& version) {
  constexpr std::size_t kShortestHash = 32, kHashDigits = 10;
  const bool is_hash = version.size() >= kShortestHash &&
                       version.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  return is_hash ? version.substr(0, kHashDigits) : version;
}

/// Seconds of every kernel, of every part of MPI (unless oversubscribed) and of the whole program
/// in one run. `costs` are those of messages in the runs of the same version.
std::map<HistoryPlace, double> times_of(const RunProfile& run, const MessageCosts& costs,
                                        std::map<std::string, std::string>* sources) {
  const auto place = [&](bool is_kernel, const std::string& what) {
    return HistoryPlace{run.config.procs, run.config.params, is_kernel, what};
  };
  std::map<HistoryPlace, double> times;
  times[place(false, HistoryPlace::kElapsed)] = run.times.wall_s.max();
  const RunParts parts = parts_of(run, run.config.oversubscribed, costs);
  for (const auto& [name, part_s] : {std::pair("point-to-point", parts.comm_p2p_s),
                                     {"collectives", parts.comm_coll_s},
                                     {"waiting in MPI", parts.comm_wait_s},
                                     {"other MPI", parts.comm_other_s}})
    if (part_s) times[place(false, name)] = *part_s;
  const double ranks = std::max(1, run.health.ranks_present);
  for (const KernelProfile& kernel : run.kernels) {
    const Counter* cpu = cpu_counter(kernel);
    if (cpu == nullptr) continue;
    times[place(true, kernel.name)] += cpu->total() / ranks;
    (*sources)[kernel.name] = kernel.id.source;
  }
  return times;
}

/// The versions in which a series has a time.
std::vector<std::size_t> known_versions(const HistorySeries& series) {
  std::vector<std::size_t> versions;
  for (std::size_t v = 0; v < series.seconds.size(); ++v)
    if (series.seconds[v].value_or(0) > 0) versions.push_back(v);
  return versions;
}

std::vector<double> known_times(const HistorySeries& series) {
  std::vector<double> times;
  for (const std::size_t v : known_versions(series)) times.push_back(*series.seconds[v]);
  return times;
}

/// The share of the significance level for elapsed times. The small rest suffices for kernels and
/// parts: a change by the same number of seconds is clearer in their shorter times.
constexpr double kElapsedShare = 0.9;

/// Tests all series together: the probability of any false change is at most the level (Holm's
/// method with weights: equal ones for all elapsed times, and for all other series). When a change
/// is found in a series, its part of the level passes to the series that are not yet tested. So
/// kernels are tested against a higher level if the elapsed time has changed.
void find_all_changes(std::vector<HistorySeries>* all, const HistoryOptions& options) {
  struct Tested {
    HistorySeries* series;
    double weight;  // share of the level; the sum is 1
    int orders;     // as ChangeOptions::orders
    double chance;
  };
  const auto elapsed = std::ranges::count_if(*all, &HistoryPlace::is_elapsed);
  const auto others = std::ssize(*all) - elapsed;
  const double of_elapsed = others == 0 ? 1 : kElapsedShare;
  std::vector<Tested> tested;
  for (HistorySeries& series : *all) {
    const double weight = series.is_elapsed() ? of_elapsed / static_cast<double>(elapsed)
                                              : (1 - of_elapsed) / static_cast<double>(others);
    const int orders = orders_for(options.change.level * weight);
    tested.push_back({&series, weight, orders, chance_of_change(known_times(series), orders)});
  }
  std::ranges::stable_sort(tested, [](const Tested& a, const Tested& b) {
    return a.chance * b.weight < b.chance * a.weight;
  });
  double left = 1;
  for (const Tested& t : tested) {
    ChangeOptions stricter = options.change;
    stricter.level *= t.weight / std::max(left, t.weight);
    stricter.orders = t.orders;
    if (t.chance > stricter.level) break;
    t.series->changes = find_changes(known_times(*t.series), stricter);
    // Their positions are those in the list of known times.
    const std::vector<std::size_t> versions = known_versions(*t.series);
    for (ChangePoint& change : t.series->changes)
      for (std::size_t* place : {&change.at, &change.earliest, &change.latest})
        *place = versions[*place];
    left -= t.weight;
  }
}

/// Differences other than the program's source that may have changed a time.
std::vector<std::string> differences(const std::vector<Version>& versions) {
  std::set<std::string> programs, processors, libraries;
  for (const Version& version : versions)
    for (const RunProfile& run : version.runs) {
      programs.insert(run.program);
      for (const HostInfo& host : run.hosts) processors.insert(host.cpu_model);
      if (!run.mpi_library.empty()) libraries.insert(run.mpi_library);
    }
  std::vector<std::string> warnings;
  const auto warn = [&](const std::set<std::string>& names, const std::string& of) {
    if (names.size() > 1)
      warnings.push_back("the versions have different " + of + " (" + listed(names) +
                         "), which may be the cause of a change");
  };
  warn(programs, "programs");
  warn(processors, "processors");
  warn(libraries, "MPI libraries");
  return warnings;
}

/// Versions without a start time were sorted before the others, and among themselves by the order
/// in which they were given.
void warn_of_unknown_order(History* history) {
  const auto unknown = std::ranges::count_if(
      history->versions, [](const History::Entry& version) { return version.since.empty(); });
  if (unknown == 0) return;
  const bool all = unknown == std::ssize(history->versions);
  history->warnings.push_back(
      std::string(all ? "the runs do" : "the runs of some versions do") +
      " not state when they started (imported runs never do): " +
      (all ? "the versions are" : "these versions come first,") +
      " in the order in which they were given, which may not be that of their development");
}

/// The words of a warning, without numbers and their units.
std::string reason_of(const std::string& warning) {
  static const std::set<std::string> varying = {"ns", "us", "ms", "s", "sample", "samples"};
  std::istringstream words(warning);
  std::string reason;
  for (std::string word; words >> word;) {
    const bool is_number = word.find_first_of("0123456789") != std::string::npos;
    const std::string letters = word.substr(0, word.find_last_not_of("(),.:;") + 1);
    if (!is_number && !varying.contains(letters)) reason += word + " ";
  }
  return reason;
}

}  // namespace

std::string version_of(const RunProfile& run, const std::string& folder) {
  for (const char* name : {"APMT_VERSION", "GITHUB_SHA", "CI_COMMIT_SHA"}) {
    const auto found = run.environment.find(name);
    if (found != run.environment.end() && !found->second.empty()) return shortened(found->second);
  }
  if (!folder.empty()) return folder;
  return shortened(run.build_id);
}

std::vector<Version> versions_of(std::vector<NamedRun> runs) {
  std::ranges::stable_sort(runs, {}, [](const NamedRun& r) { return r.run.started_at; });
  std::vector<Version> versions;
  for (auto& [run, folder] : runs) {
    const std::string name = version_of(run, folder);
    if (name.empty())
      throw InputError("",
                       "a run of " + run.program + " with " +
                           counted(run.config.procs, "process", "processes") +
                           " does not state its version",
                       "set APMT_VERSION to the commit when recording, or give an experiment for "
                       "each version");
    auto found = std::ranges::find(versions, name, &Version::name);
    if (found == versions.end()) found = versions.insert(versions.end(), Version{name, {}});
    found->runs.push_back(std::move(run));
  }
  return versions;
}

History make_history(const std::vector<Version>& versions, const HistoryOptions& options) {
  if (versions.size() < 2)
    throw InputError("", "there are runs of one version only",
                     "a history needs at least two: set APMT_VERSION to the commit when recording, "
                     "or give an experiment for each version",
                     ExitCode::kNotEnoughData);
  History history;
  history.program = versions.back().runs.front().program;
  std::map<HistoryPlace, std::vector<std::vector<double>>> values;  // repetitions of each version
  std::map<std::string, std::string> sources;
  for (std::size_t v = 0; v < versions.size(); ++v) {
    const Version& version = versions[v];
    history.versions.push_back(
        {version.name, version.runs.front().started_at, static_cast<int>(version.runs.size())});
    const MessageCosts costs(version.runs);
    for (const RunProfile& run : version.runs)
      for (const auto& [place, seconds] : times_of(run, costs, &sources)) {
        auto& of_versions = values[place];
        of_versions.resize(versions.size());
        of_versions[v].push_back(seconds);
      }
  }
  for (const auto& [place, of_versions] : values) {
    HistorySeries series{place, place.is_kernel ? sources[place.what] : "", {}, {}};
    const auto& elapsed = values.at({place.procs, place.params, false, HistoryPlace::kElapsed});
    for (std::size_t v = 0; v < versions.size(); ++v) {
      series.seconds.push_back(of_versions[v].empty() ? std::nullopt
                                                      : std::optional(median(of_versions[v])));
      if (series.seconds.back() && !elapsed[v].empty())
        series.share = std::max(series.share, *series.seconds.back() / median(elapsed[v]));
    }
    if (series.share >= options.least_share) history.series.push_back(std::move(series));
  }
  std::ranges::stable_sort(history.series, {}, [](const HistorySeries& s) {
    return std::tuple(!s.is_elapsed(), -s.procs, -s.share);
  });
  find_all_changes(&history.series, options);
  history.warnings = differences(versions);
  warn_of_unknown_order(&history);
  if (versions.size() < kLeastVersions)
    history.warnings.push_back("with " + std::to_string(versions.size()) +
                               " versions no change can be told from chance; " +
                               std::to_string(kLeastVersions) + " are needed");
  const bool repeated = std::ranges::any_of(values, [](const auto& series) {
    return std::ranges::any_of(series.second, [](const auto& runs) { return runs.size() > 2; });
  });
  if (!repeated)
    history.warnings.push_back(
        "no version has more than two runs at any point; three (apmt run --reps 3) show smaller "
        "changes");
  return history;
}

std::vector<const HistorySeries*> slower_now(const History& history) {
  const auto whole_became_faster = [&](const HistorySeries& part) {
    const ChangePoint& change = part.changes.back();
    for (const HistorySeries& s : history.series)
      if (s.is_elapsed() && s.procs == part.procs && s.params == part.params)
        for (const ChangePoint& c : s.changes)
          if (c.change() < 0 && c.earliest <= change.latest && change.earliest <= c.latest)
            return true;
    return false;
  };
  std::vector<const HistorySeries*> slower;
  for (const HistorySeries& series : history.series)
    if (!series.changes.empty() && series.changes.back().change() > 0 &&
        (series.is_elapsed() || !whole_became_faster(series)))
      slower.push_back(&series);
  return slower;
}

std::vector<std::string> each_reason_once(const std::vector<std::vector<std::string>>& warnings) {
  struct Reason {
    std::string key;
    std::string first;
    std::set<std::size_t> experiments;  // those with this warning
  };
  std::vector<Reason> reasons;
  for (std::size_t e = 0; e < warnings.size(); ++e)
    for (const std::string& warning : warnings[e]) {
      const std::string key = reason_of(warning);
      auto found = std::ranges::find(reasons, key, &Reason::key);
      if (found == reasons.end()) found = reasons.insert(reasons.end(), {key, warning, {}});
      found->experiments.insert(e);
    }
  std::vector<std::string> lines;
  for (const Reason& reason : reasons) {
    const std::size_t others = reason.experiments.size() - 1;
    lines.push_back(reason.first);
    if (others > 0)
      lines.back() += " (and likewise in " + std::to_string(others) + " more of the " +
                      std::to_string(warnings.size()) + " experiments)";
  }
  return lines;
}

}  // namespace apmt
