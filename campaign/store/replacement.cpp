#include "campaign/store/replacement.h"

#include <optional>

#include "base/input_error.h"
#include "campaign/store/finished_runs.h"
#include "campaign/store/run_directory.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = ".replaced";

/// Moves a run's folder back to its old place or, if that is taken, to the next free name.
fs::path put_back_one(const fs::path& run, const fs::path& experiment) {
  fs::path place = experiment / run.filename();
  if (fs::exists(place)) {
    RunProfile profile = read_run_profile(run / "profile.json");
    while (fs::exists(experiment / run_name(profile))) profile.config.repetition += 1;
    write_run_profile(profile, run / "profile.json");
    place = experiment / run_name(profile);
  }
  fs::rename(run, place);
  return place;
}

std::optional<FinishedRun> readable(const fs::path& run, std::vector<std::string>* stays) {
  try {
    return read_finished_run(run);
  } catch (const InputError& error) {
    stays->push_back(run.string() + " is not replaced: " + error.what());
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> make_room(const RunProfile& by, const fs::path& dir,
                                   const std::vector<fs::path>& old) {
  std::vector<std::string> stays;
  std::vector<fs::path> replaced;
  const RunEnding ending = finished_run(dir, by).ending;
  EndingHabit habit;
  habit.see(ending);
  for (const fs::path& run : old) {
    if (!fs::exists(run / "profile.json")) continue;  // another new run has replaced it
    const std::optional<FinishedRun> was = readable(run, &stays);
    if (!was) continue;
    habit.see(was->ending);
    if (was->procs == by.config.procs && was->params == by.config.params) replaced.push_back(run);
  }
  for (const fs::path& run : replaced)
    if (!habit.is_whole(ending))
      stays.push_back(run.string() + " is not replaced: in the new run " + how_it_ended(by));
  if (!habit.is_whole(ending)) return stays;
  if (!replaced.empty()) fs::create_directory(dir / kFolder);
  for (const fs::path& run : replaced) fs::rename(run, dir / kFolder / run.filename());
  return stays;
}

std::vector<fs::path> put_back(const fs::path& dir, const fs::path& experiment) {
  std::vector<fs::path> runs;
  if (!fs::exists(dir / kFolder)) return runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir / kFolder))
    runs.push_back(entry.path());
  for (fs::path& run : runs) run = put_back_one(run, experiment);
  fs::remove(dir / kFolder);
  return runs;
}

void remove_replaced(const fs::path& run) {
  std::error_code ignored;  // what cannot be removed stays in this hidden folder
  fs::remove_all(run / kFolder, ignored);
}

void remove_all_replaced(const fs::path& experiment) {
  for (const fs::path& run : run_directories(experiment)) remove_replaced(run);
}

}  // namespace apmt
