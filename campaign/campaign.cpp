#include "campaign/campaign.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "base/input_error.h"
#include "base/words.h"
#include "campaign/launching/executable.h"
#include "campaign/launching/supervised.h"
#include "campaign/stage.h"
#include "campaign/store/finished_runs.h"
#include "campaign/store/replacement.h"
#include "campaign/store/run_directory.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLastLines = 30;  // launchers print long error messages

std::vector<std::string> filled(const CampaignOptions& options, const CampaignPoint& point) {
  std::vector<std::string> command = CommandTemplate(options.launch.command).filled(point);
  return options.launcher ? options.launcher(point.procs, std::move(command)) : command;
}

std::vector<std::string> last_lines(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (lines.size() == kLastLines) lines.erase(lines.begin());
    lines.push_back(line);
  }
  return lines;
}

/// A run belongs to a point if the process count and the sizes are equal.
bool is_at(const FinishedRun& run, const CampaignPoint& point) {
  return run.procs == point.procs && run.params == point.params();
}

/// Whether this repetition of a point has been made. With --repetition, other jobs may make the
/// other repetitions at the same time, so counting the finished runs is not enough.
bool is_made(const std::vector<FinishedRun>& finished, const CampaignOptions& options,
             const CampaignPoint& point, int repetition) {
  int done = 0;
  bool is_this_there = false;
  for (const FinishedRun& run : finished) {
    if (!is_at(run, point)) continue;
    done += 1;
    is_this_there = is_this_there || run.repetition == repetition;
  }
  if (options.only_repetition == 0) return done >= repetition;
  return is_this_there || done >= options.reps;
}

/// The first and the last repetition to make. With --spread, more may follow.
std::pair<int, int> repetitions(const CampaignOptions& options) {
  if (options.only_repetition > 0) return {options.only_repetition, options.only_repetition};
  return {1, options.reps};
}

/// The runs of the experiment that count as made.
std::vector<FinishedRun> runs_that_count(const CampaignOptions& options) {
  return options.launch.force ? std::vector<FinishedRun>{}
                              : finished_runs(campaign_experiment(options));
}

std::string why_not_whole(const fs::path& run, const std::vector<std::string>& reasons) {
  const RunProfile profile = read_run_profile(run / "profile.json");
  const std::string what = "the command ended with exit code 0, but " + how_it_ended(profile);
  if (profile.health.ranks_present < profile.config.procs) return with_reasons(what, reasons);
  if (ending_of(profile) == RunEnding::kUnfinalized)
    return what + ", which other runs of the program reach";
  return what +
         "; a stopped launcher may also end with 0, and a program that calls _exit looks like one "
         "that was stopped";
}

/// The first word in which a recorded command differs from that of now, as "with 'a' instead of
/// 'b'"; empty if they are the same. The experiment's folder may have been moved since the first
/// was recorded, so a file in it counts as the same if its path below the folder is the same.
std::string difference(const std::vector<std::string>& recorded,
                       const std::vector<std::string>& now, const fs::path& experiment) {
  const std::string folder = fs::absolute(experiment).lexically_normal().string() + "/";
  const auto [before, word] = std::mismatch(
      recorded.begin(), recorded.end(), now.begin(), now.end(),
      [&](const std::string& a, const std::string& b) {
        return a == b || (b.starts_with(folder) && a.ends_with(b.substr(folder.size() - 1)));
      });
  if (before == recorded.end()) return word == now.end() ? "" : "without '" + *word + "'";
  if (word == now.end()) return "with '" + *before + "' in addition";
  return "with '" + *before + "' instead of '" + *word + "'";
}

void refuse_other_commands(const std::vector<FinishedRun>& finished,
                           const CampaignOptions& options) {
  for (const FinishedRun& run : finished)
    for (const CampaignPoint& point : options.points) {
      if (!is_at(run, point) || run.command.empty()) continue;
      const std::string differs =
          difference(run.command, filled(options, point), run.dir.parent_path());
      if (!differs.empty())
        throw InputError(run.dir.string(), "was made by another command, " + differs,
                         "give this campaign another --dir, count such runs with --any-command, or "
                         "replace them with --force");
    }
}

std::string first_and_how_many_more(const std::vector<fs::path>& runs) {
  const std::string first = runs.front().string();
  if (runs.size() == 1) return first;
  return first + " and " + counted(runs.size() - 1, "other run");
}

void refuse_other_builds(const std::vector<FinishedRun>& finished, const CampaignOptions& options) {
  std::vector<fs::path> runs;
  std::string what;
  for (const CampaignPoint& point : options.points) {
    std::optional<std::vector<ProgramFile>> now;
    for (const FinishedRun& run : finished) {
      if (!is_at(run, point)) continue;
      if (!now) now = files_run_by(filled(options, point));
      const std::string rebuilt = what_was_rebuilt(files_of_run(run.dir), *now);
      if (rebuilt.empty()) continue;
      runs.push_back(run.dir);
      if (what.empty()) what = rebuilt;
    }
  }
  if (runs.empty()) return;
  throw InputError(first_and_how_many_more(runs), "recorded before this file changed: " + what,
                   "make the runs again with apmt run --force, count them as they are with "
                   "--keep-old (with every apmt run), or give this campaign another "
                   "--dir");
}

void refuse_what_is_not_ours(const std::vector<FinishedRun>& finished,
                             const CampaignOptions& options) {
  if (!options.any_command) refuse_other_commands(finished, options);
  if (!options.keep_old) refuse_other_builds(finished, options);
}

class Runner {
 public:
  Runner(const CampaignOptions& options, const CampaignWatcher& watcher)
      : options_(options),
        watcher_(watcher),
        experiment_(campaign_experiment(options)),
        stage_(experiment_, stage_name(options)),
        planned_(static_cast<int>(options.points.size()) * options.reps) {}

  CampaignResult run() {
    salvage();
    make_runs();
    add_problems(stage_.problems());
    return std::move(result_);
  }

 private:
  void make_runs() {
    if (options_.launch.force) replaced_ = run_directories(experiment_);
    finished_ = runs_that_count(options_);
    for (const FinishedRun& run : finished_) habit_.see(run.ending);
    refuse_what_is_not_ours(finished_, options_);
    do {
      for (int round = repetitions(options_).first; round <= last_round(); ++round)
        for (const CampaignPoint& point : options_.points) {
          if (is_made(finished_, options_, point, round) || !is_wanted(point, round)) continue;
          if (!make_run(point, round)) return;
        }
    } while (drop_what_was_no_habit());
    for (const CampaignPoint& point : options_.points)
      if (!is_settled(point)) result_.unsettled.emplace_back(point, error_at(point));
    result_.runs_done = result_.runs_planned = done();
  }
  void add_problems(const std::vector<std::string>& problems) {
    result_.problems.insert(result_.problems.end(), problems.begin(), problems.end());
  }

  static std::string stage_name(const CampaignOptions& options) {
    std::set<int> counts;
    for (const CampaignPoint& point : options.points) counts.insert(point.procs);
    std::string name = "p";
    for (const int count : counts) name += (name == "p" ? "" : "-") + std::to_string(count);
    if (options.only_repetition == 0) return name;
    for (const CampaignPoint& point : options.points)
      for (const auto& [size, value] : point.sizes) name += "." + size + value.text;
    return name + ".r" + std::to_string(options.only_repetition);
  }

  /// Keeps the finished runs of earlier campaigns that were killed, even if those campaigns had
  /// other process counts.
  void salvage() {
    remove_all_replaced(experiment_);
    stage_.salvage();
    add_problems(Stage::salvage_abandoned(experiment_));
  }

  /// Drops the runs that ended without MPI_Finalize if another run shows that the program usually
  /// calls MPI_Finalize. Until that is known, such runs count as complete. Returns whether any run
  /// was dropped.
  bool drop_what_was_no_habit() {
    return std::erase_if(finished_,
                         [&](const FinishedRun& run) { return !habit_.is_whole(run.ending); }) > 0;
  }

  int last_round() const {
    const int last = repetitions(options_).second;
    return options_.spread > 0 ? std::max(last, options_.max_reps) : last;
  }
  bool is_wanted(const CampaignPoint& point, int round) const {
    return round <= options_.reps || !is_settled(point);
  }
  bool is_settled(const CampaignPoint& point) const {
    return options_.spread <= 0 || error_at(point) <= options_.spread;
  }

  std::vector<double> times_at(const CampaignPoint& point, double FinishedRun::*time) const {
    std::vector<double> times;
    for (const FinishedRun& run : finished_)
      if (is_at(run, point)) times.push_back(run.*time);
    return times;
  }
  int done_at(const CampaignPoint& point) const {
    return static_cast<int>(times_at(point, &FinishedRun::elapsed_s).size());
  }
  double error_at(const CampaignPoint& point) const {
    return relative_error(times_at(point, &FinishedRun::elapsed_s));
  }
  int done() const {
    int sum = 0;
    for (const CampaignPoint& point : options_.points) sum += done_at(point);
    return sum;
  }

  /// The campaign's remaining time, estimated from runs at the same point or, if there are none,
  /// from all runs. `running` is the point of the present run, which has taken `elapsed_s` so far;
  /// null: there is no present run.
  std::optional<double> left_s(const CampaignPoint* running, double elapsed_s) const {
    const auto mean = [](const std::vector<double>& times) -> std::optional<double> {
      double sum = 0;
      double known = 0;
      for (const double t : times)
        if (t > 0) {
          sum += t;
          known += 1;
        }
      return known > 0 ? std::optional(sum / known) : std::nullopt;
    };
    std::vector<double> all;
    for (const FinishedRun& run : finished_) all.push_back(run.launch_s);
    const std::optional<double> any = mean(all);
    if (!any) return std::nullopt;
    double left = 0;
    for (const CampaignPoint& point : options_.points) {
      const double one = mean(times_at(point, &FinishedRun::launch_s)).value_or(*any);
      const bool runs_now = &point == running;
      left += one * std::max(options_.reps - done_at(point), runs_now ? 1 : 0);
      if (runs_now) left -= std::min(elapsed_s, one);
    }
    return left;
  }

  CampaignStep step(const PlannedRun& run, double elapsed_s, const CampaignPoint* running) const {
    CampaignStep step;
    step.run = &run;
    step.number = done() + (running == nullptr ? 0 : 1);
    step.planned = std::max(planned_, step.number);
    step.elapsed_s = elapsed_s;
    step.left_s = left_s(running, elapsed_s);
    return step;
  }

  bool stopped(CampaignResult::End end) {
    result_.end = end;
    result_.runs_done = done();
    result_.runs_planned = std::max(planned_, result_.runs_done + 1);
    return false;
  }

  bool failed(const PlannedRun& run, const Supervised& ended, const fs::path& output) {
    result_.exit_code = ended.exit_code;
    result_.failed_command = run.command;
    result_.last_output = last_lines(stage_.output());
    result_.output = output;
    return stopped(CampaignResult::End::kFailed);
  }

  /// Makes a run. Returns false if the campaign is over.
  bool make_run(const CampaignPoint& point, int round) {
    if ((result_.signal = interruptions_.received()) != 0)
      return stopped(CampaignResult::End::kInterrupted);
    PlannedRun run{point, round, filled(options_, point), false};
    if (options_.before_run) options_.before_run(point.procs);
    if (watcher_.on_start) watcher_.on_start(step(run, 0, &point));
    LaunchOptions launch = options_.launch;
    launch.command = run.command;
    launch.params = point.params();
    launch.experiment = stage_.dir();
    launch.event_set = round;
    const PreparedLaunch prepared = prepare_launch(launch);
    const std::vector<ProgramFile> files = files_run_by(run.command);
    const Supervised ended =
        run_supervised([&] { exec_prepared(prepared); }, stage_.output(), &interruptions_,
                       [&](double elapsed_s) {
                         if (watcher_.on_second) watcher_.on_second(step(run, elapsed_s, &point));
                         return true;
                       });
    // A command that was interrupted may end with exit code 0, too: MPICH's launcher does so, and
    // so does a program that saves its state and ends early.
    if (ended.interruption != 0 || (ended.exit_code != 0 && interruptions_.received() != 0)) {
      result_.signal = interruptions_.received();
      stage_.discard(prepared.run_id);
      return stopped(CampaignResult::End::kInterrupted);
    }
    if (ended.exit_code != 0) return failed(run, ended, stage_.set_aside(prepared.run_id));
    return kept(run, ended, prepared, files);
  }

  /// Keeps the run of a command that ended with exit code 0, if the run is complete.
  bool kept(const PlannedRun& run, const Supervised& ended, const PreparedLaunch& launch,
            const std::vector<ProgramFile>& files) {
    const std::vector<fs::path> places =
        stage_.keep(launch.run_id, {run.command, ended.elapsed_s, run.round, files}, &replaced_);
    for (const fs::path& place : places) note_what_was_loaded(place);
    if (places.empty()) result_.problems.push_back(nothing_recorded(launch, stage_.reasons()));
    bool is_there = false;
    fs::path output;
    for (const fs::path& place : places) {
      const FinishedRun finished = read_finished_run(place);
      if (finished.procs != run.point.procs) {
        const fs::path aside = set_aside(place, launch.run_id);
        output = aside / LaunchNote::kOutputFile;
        result_.problems.push_back(aside.string() + ": it ran with " +
                                   counted(finished.procs, "process", "processes") + ", not " +
                                   std::to_string(run.point.procs) +
                                   "; does the command pass {p} to the launcher?");
        continue;
      }
      habit_.see(finished.ending);
      if (habit_.is_whole(finished.ending)) {
        is_there = true;
        finished_.push_back(finished);
        continue;
      }
      const std::string how = why_not_whole(place, stage_.reasons());
      if ((result_.signal = interruptions_.received()) != 0) {
        fs::remove_all(place);
        return stopped(CampaignResult::End::kInterrupted);
      }
      const fs::path aside = set_aside(place, launch.run_id);
      result_.problems.push_back(aside.string() + ": " + how);
      output = aside / LaunchNote::kOutputFile;
    }
    if (!is_there)
      return failed(run, ended, output.empty() ? stage_.set_aside(launch.run_id) : output);
    result_.runs_made += 1;
    if (watcher_.on_end) watcher_.on_end(step(run, ended.elapsed_s, nullptr), places.front());
    return true;
  }

  /// Notes the loaded libraries for later comparison, but only files of this machine: in a
  /// container, the same path may be another file.
  void note_what_was_loaded(const fs::path& run) {
    std::vector<fs::path> others;
    LaunchNote note = read_launch_note(run);
    note.loaded = still_there(files_recorded_in(run), &others);
    write_launch_note(note, run);
    for (const fs::path& file : others)
      if (not_watched_.insert(file).second)
        result_.problems.push_back(
            file.string() +
            " is not the file of that name that the program loaded: it runs in a container, or the "
            "file was rebuilt meanwhile. Later changes to it are not detected");
  }

  /// Renames a run that must not count: an incomplete one, or one with another process count.
  fs::path set_aside(const fs::path& place, const std::string& run_id) const {
    const fs::path aside = experiment_ / ("failed-" + run_id + "-" + place.filename().string());
    fs::rename(place, aside);
    fs::remove(aside / "profile.json");
    return aside;
  }

  const CampaignOptions& options_;
  const CampaignWatcher& watcher_;
  fs::path experiment_;
  InterruptionsHeld interruptions_;
  Stage stage_;
  int planned_;
  std::vector<FinishedRun> finished_;
  EndingHabit habit_;
  std::set<fs::path> not_watched_;
  std::vector<fs::path> replaced_;  // runs that new runs at the same points replace
  CampaignResult result_;
};

}  // namespace

void CampaignOptions::check() const {
  if (points.empty()) throw InputError("--procs", "no process count given", "--procs 2,4,8");
  if (launch.command.empty()) throw InputError("", "no command given", "apmt run --help");
  const CommandTemplate command(launch.command);
  std::set<int> counts;
  for (const CampaignPoint& point : points) counts.insert(point.procs);
  if (!launcher && !command.uses_procs())
    throw InputError("the command",
                     "has no {p}: nothing tells the launcher how many processes to start",
                     "for example: mpirun -np {p} ./app");
  for (const CampaignPoint& point : points) (void)filled(*this, point);  // throws if it cannot run
  std::map<std::string, std::set<double>> sizes;
  for (const CampaignPoint& point : points)
    for (const auto& [name, size] : point.sizes)
      if (name != kWorkOfProcesses || size.value != point.procs) sizes[name].insert(size.value);
  for (const auto& [name, values] : sizes)
    if (values.size() > 1 && !command.uses(name))
      throw InputError("the command",
                       "has no {" + name + "}, though " + name +
                           " varies: every run would solve the same problem",
                       "put it where the program reads it: ... ./app {" + name + "}");
  if (reps < 1) throw InputError("--reps", "expected at least 1");
  if (!(spread >= 0)) throw InputError("--spread", "expected a share such as 0.02");
  if (only_repetition > reps)
    throw InputError("--repetition", "expected at most --reps, which is " + std::to_string(reps));
  if (only_repetition > 0 && spread > 0)
    throw InputError("--repetition", "--spread needs several repetitions, and this is only one",
                     "leave out --spread");
  if (only_repetition > 0 && launch.force)
    throw InputError("--repetition", "--force would replace the other repetitions with this one",
                     "leave out --force");
}

bool has_program_per_point(const CampaignOptions& options) {
  std::set<std::string> programs;
  for (const CampaignPoint& point : options.points)
    if (const Target target = target_of(filled(options, point)); target.program)
      programs.insert(target.program->path.filename().string());
  return programs.size() > 1;
}

fs::path campaign_experiment(const CampaignOptions& options) {
  if (!options.launch.experiment.empty()) return options.launch.experiment;
  const Target target = target_of(filled(options, options.points.front()));
  if (!target.program) return "apmt-program";
  const std::string program = target.program->path.filename().string();
  for (const std::string& word : options.launch.command) {
    const CommandTemplate one({word});
    if (fs::path(one.filled(options.points.front()).front()).filename() == program)
      return "apmt-" + fs::path(CommandTemplate::without_places(word)).filename().string();
  }
  return "apmt-" + program;
}

std::vector<PlannedRun> plan_campaign(const CampaignOptions& options) {
  const std::vector<FinishedRun> finished = runs_that_count(options);
  refuse_what_is_not_ours(finished, options);
  std::vector<PlannedRun> runs;
  const auto [first, last] = repetitions(options);
  for (int round = first; round <= last; ++round)
    for (const CampaignPoint& point : options.points)
      runs.push_back(
          {point, round, filled(options, point), is_made(finished, options, point, round)});
  return runs;
}

CampaignResult run_campaign(const CampaignOptions& options, const CampaignWatcher& watcher) {
  options.check();
  return Runner(options, watcher).run();
}

}  // namespace apmt
