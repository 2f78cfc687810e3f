#include "cli/refine_note.h"

#include "cli/fit_runs.h"
#include "cli/refine.h"
#include "profile/run_profile.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// The runs of an experiment, including those at other core frequencies, as paths relative to
/// `dir`.
std::set<std::string> runs_of(const fs::path& dir) {
  std::set<std::string> runs;
  const auto collect = [&](const fs::path& folder) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (fs::exists(entry.path() / "profile.json"))
        runs.insert(entry.path().lexically_relative(dir).string());
  };
  collect(dir);
  if (has_frequency_runs(dir))
    for (const fs::directory_entry& entry : fs::directory_iterator(dir / kFrequencyFolder))
      if (entry.is_directory()) collect(entry.path());
  return runs;
}

}  // namespace

LoopNote begin_note(const fs::path& dir, int at) {
  const LoopNote note{runs_of(dir), at, {}};
  write_note(dir, note);
  return note;
}

double spent_since(const fs::path& dir, const std::set<std::string>& before) {
  double sum = 0;
  for (const std::string& name : runs_of(dir)) {
    if (before.contains(name)) continue;
    const RunProfile run = read_run_profile(dir / name / "profile.json");
    sum += run.config.procs * run.times.wall_s.max() / 3600;
  }
  return sum;
}

}  // namespace apmt
