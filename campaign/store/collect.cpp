#include "campaign/store/collect.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "base/input_error.h"
#include "base/words.h"
#include "campaign/store/folder_lock.h"
#include "campaign/store/launch_identity.h"
#include "campaign/store/launch_note.h"
#include "campaign/store/replacement.h"
#include "campaign/store/run_directory.h"
#include "campaign/store/unmerged.h"
#include "profile/run_ending.h"
#include "profiler/reader/fold.h"
#include "profiler/reader/fold_ranks.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMerging = "merging-";

template <class T>
void append(std::vector<T>* to, std::vector<T> from) {
  to->insert(to->end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// A recording, and whether its process may still be writing it.
RawRecording read_with_process(const fs::path& file) {
  RawRecording raw = read_recording(file);
  if (raw.header.ending != format::Ending::kOpen) return raw;
  if (why_it_may_be_alive(raw))
    raw.may_be_running = true;
  else
    raw = read_recording(file);  // the process may have ended since, and noted how
  return raw;
}

std::vector<RawRecording> read_all(const std::vector<fs::path>& files,
                                   const OnProgress& on_progress) {
  std::vector<RawRecording> ranks;
  for (const fs::path& file : files) {
    ranks.push_back(read_with_process(file));
    if (on_progress) on_progress(ranks.size(), files.size());
  }
  return ranks;
}

/// Gives merged recordings their final names, rank-NNNNN.apmt.
void name_ranks(const std::vector<std::pair<fs::path, int>>& rank_of_file) {
  for (const auto& [file, rank] : rank_of_file) {
    char name[32];
    std::snprintf(name, sizeof name, "rank-%05d.apmt", rank);
    fs::rename(file, file.parent_path() / name);
  }
}

/// Makes a run from a folder with the recordings of one launch. The run replaces those runs in
/// `replaced` that have its process count and sizes.
fs::path make_run(const fs::path& dir, const fs::path& experiment, const OnProgress& on_progress,
                  const std::vector<fs::path>& replaced, std::vector<std::string>* left) {
  std::vector<RawRecording> ranks = read_all(recordings_in(dir), on_progress);
  std::vector<std::pair<fs::path, int>> rank_of_file;
  for (const RawRecording& raw : ranks)
    if (raw.header.world_rank >= 0 && !is_left_out(raw, ranks))
      rank_of_file.emplace_back(raw.file, raw.header.world_rank);
  RunProfile profile = fold(std::move(ranks));
  append(left, make_room(profile, dir, replaced));
  constexpr int kMaxRepetitions = 100000;
  while (profile.config.repetition < kMaxRepetitions && fs::exists(experiment / run_name(profile)))
    profile.config.repetition += 1;
  write_run_profile(profile, dir / "profile.json");
  name_ranks(rank_of_file);
  // Two processes may merge at the same time and choose the same number. Then the second rename
  // fails, because the target folder is not empty, and that process tries the next number.
  for (;; profile.config.repetition += 1) {
    const fs::path target = experiment / run_name(profile);
    std::error_code error;
    fs::rename(dir, target, error);
    if (!error) {
      remove_replaced(target);
      return target;
    }
    if (!fs::exists(target) || profile.config.repetition >= kMaxRepetitions)
      throw InputError(dir.string(), "cannot rename to " + target.string() + ": " + error.message(),
                       {}, ExitCode::kFailed);
    RunProfile next = profile;
    next.config.repetition += 1;
    write_run_profile(next, dir / "profile.json");
  }
}

std::string with_hint(const InputError& error) {
  return error.what() + (error.hint().empty() ? std::string() : "; " + error.hint());
}

std::vector<RecordingHead> heads_in(const fs::path& dir, std::vector<std::string>* left) {
  std::vector<RecordingHead> heads;
  for (const fs::path& file : recordings_in(dir)) {
    try {
      heads.push_back(read_recording_head(file));
    } catch (const InputError& error) {
      left->push_back("not merged: " + with_hint(error));
    }
  }
  return heads;
}

std::vector<Process> processes_of(const std::vector<RecordingHead>& heads) {
  std::vector<Process> processes;
  std::transform(heads.begin(), heads.end(), std::back_inserter(processes), process_of);
  return processes;
}

/// Merges the launches in one folder running-*. The caller holds the lock of that folder.
class Folder {
 public:
  /// Every run that is merged, and every problem, is added to `collected` immediately, so that
  /// nothing is lost if a later step throws.
  Folder(fs::path dir, fs::path experiment, const CollectOptions& options, Collected& collected)
      : dir_(std::move(dir)),
        experiment_(std::move(experiment)),
        options_(options),
        collected_(collected) {}

  void collect() {
    take_back_what_was_cut_off();
    if (options_.as_is && !staged_in(dir_).empty()) wait_until_gone(dir_);
    append(&collected_.left, bring_home(dir_, options_.as_is));
    const std::vector<std::string> elsewhere = not_brought(dir_);
    if (options_.as_is)
      collected_.left.insert(collected_.left.end(), elsewhere.begin(), elsewhere.end());
    else if (!elsewhere.empty())
      elsewhere_ = elsewhere.front();
    const std::vector<RecordingHead> heads = heads_in(dir_, &collected_.left);
    const std::vector<Process> processes = processes_of(heads);
    for (const Launch& launch : group_launches(processes))
      if (const std::string why = why_not(launch, heads, processes); !why.empty())
        collected_.left.push_back(why);
      else
        merge(launch, heads);
    collected_.reasons = take_reasons(dir_);
    empty_if_done();
  }

 private:
  /// Undoes merges that a killed process left unfinished: moves the recordings out of the folders
  /// of these merges. A merge does not change recordings, so they can be merged again.
  void take_back_what_was_cut_off() {
    std::vector<fs::path> halves;
    for (const fs::directory_entry& entry : fs::directory_iterator(dir_))
      if (entry.is_directory() && entry.path().filename().string().starts_with(kMerging))
        halves.push_back(entry.path());
    for (const fs::path& half : halves) append(&replaced_, take_back(half));
  }
  /// Undoes one merge, whose folder is `half`: moves back the recordings, and the runs that the
  /// merge was to replace. Returns the places of these runs.
  std::vector<fs::path> take_back(const fs::path& half) const {
    std::vector<fs::path> old = put_back(half, experiment_);
    for (const fs::path& file : recordings_in(half)) {
      fs::path home = dir_ / file.filename();
      for (int i = 2; fs::exists(home); ++i)
        home = dir_ / (file.stem().string() + "-" + std::to_string(i) + ".apmt");
      fs::rename(file, home);
    }
    fs::remove_all(half);
    return old;
  }

  std::string why_not(const Launch& launch, const std::vector<RecordingHead>& heads,
                      const std::vector<Process>& processes) const {
    const Process& first = processes[launch.members.front()];
    if (launch.is_ambiguous)
      return dir_.string() + ": not merged: " + std::to_string(launch.members.size()) +
             " processes of programs on " + counted(first.size, "rank") +
             " ran at the same time, and nothing tells which belong together; give each "
             "launch an APMT_RUN_ID or APMT_DIR of its own, or start it with apmt record";
    if (options_.as_is) return {};
    for (const std::size_t i : launch.members)
      if (const auto why = why_it_may_be_alive(heads[i]))
        return dir_.string() + ": not merged, it may still be running (" + *why +
               "); apmt merge --as-is takes what is there";
    const auto born = std::count_if(launch.members.begin(), launch.members.end(),
                                    [&](std::size_t i) { return processes[i].born; });
    if (born >= first.size) return {};
    return elsewhere_.empty() ? std::string()
                              : dir_.string() + ": not merged: " + elsewhere_ +
                                    "; apmt merge --as-is takes what is there";
  }

  void merge(const Launch& launch, const std::vector<RecordingHead>& heads) {
    const fs::path merging = dir_ / (kMerging + std::to_string(++merged_));
    fs::create_directory(merging);
    for (const std::size_t i : launch.members) {
      const fs::path file = heads[i].file;
      fs::rename(file, merging / file.filename());
    }
    for (const char* kept : {LaunchNote::kFile, LaunchNote::kOutputFile}) {
      std::error_code none;
      fs::copy_file(dir_ / kept, merging / kept, none);
    }
    std::string why;
    try {
      const fs::path run =
          make_run(merging, experiment_, options_.on_progress, replaceable(), &collected_.left);
      collected_.runs.push_back(run);
      if (options_.replaced != nullptr) std::erase(*options_.replaced, run);
      return;
    } catch (const InputError& error) {
      why = with_hint(error);
    } catch (const fs::filesystem_error& error) {
      why = error.what();
    }
    collected_.left.push_back("not merged: " + why);
    take_back(merging);
  }
  std::vector<fs::path> replaceable() const {
    std::vector<fs::path> runs = replaced_;
    if (options_.replaced != nullptr)
      runs.insert(runs.end(), options_.replaced->begin(), options_.replaced->end());
    return runs;
  }

  /// Removes the files that apmt made, but only if nothing else is in the folder: otherwise a
  /// launch that has just begun could lose something.
  void empty_if_done() const {
    std::vector<fs::path> left_over;
    for (const fs::directory_entry& entry : fs::directory_iterator(dir_)) {
      const std::string name = entry.path().filename().string();
      const bool is_ours =
          name == FolderLock::kFile || name == LaunchNote::kFile || name == LaunchNote::kOutputFile;
      if (!is_ours && !is_abandoned(entry)) return;
      left_over.push_back(entry.path());
    }
    std::error_code ignored;
    for (const fs::path& path : left_over) fs::remove(path, ignored);
  }

  /// Whether an entry belongs to a process that was killed before its recording began.
  bool is_abandoned(const fs::directory_entry& entry) const {
    constexpr std::chrono::seconds kToBegin(60);
    std::error_code error;
    return entry.path().extension() == ".apmt" && entry.is_regular_file(error) &&
           !was_begun(entry.path()) &&
           (options_.as_is ||
            fs::file_time_type::clock::now() - entry.last_write_time() > kToBegin);
  }

  fs::path dir_;
  fs::path experiment_;
  const CollectOptions& options_;
  Collected& collected_;
  std::vector<fs::path> replaced_;  // runs that an unfinished merge was to replace
  std::string elsewhere_;           // why a staged recording is not here yet
  int merged_ = 0;
};

}  // namespace

void Collected::add(Collected more) {
  append(&runs, std::move(more.runs));
  append(&left, std::move(more.left));
  append(&reasons, std::move(more.reasons));
}

Collected collect_folder(const fs::path& running, const fs::path& experiment,
                         const CollectOptions& options) {
  constexpr int kPatience_s = 60;
  Collected collected;
  try {
    auto lock = FolderLock::take_patiently(running, kPatience_s);
    if (!lock) return {{}, {running.string() + ": not merged, another apmt is at work on it"}, {}};
    Folder(running, experiment, options, collected).collect();
  } catch (const InputError& error) {  // for example: no permission, or a full disk
    collected.left.push_back("not merged: " + with_hint(error));
    return collected;
  } catch (const fs::filesystem_error& error) {
    collected.left.push_back(std::string("not merged: ") + error.what());
    return collected;
  }
  // The folder can be removed only now, when the lock file in it is closed, because on remote file
  // systems a removed file stays in its folder while it is open, and a folder that is not empty
  // cannot be removed.
  std::error_code ignored;
  fs::remove(running, ignored);
  return collected;
}

Collected collect_finished(const fs::path& experiment, const CollectOptions& options) {
  remove_all_replaced(experiment);
  Collected collected;
  for (const fs::path& running : running_directories(experiment))
    collected.add(collect_folder(running, experiment, options));
  return collected;
}

RunProfile fold_recording(const fs::path& file) { return fold(read_all({file}, {})); }

RunProfile fold_directory(const fs::path& dir, const OnProgress& on_progress) {
  std::vector<std::string> left;
  const std::vector<RecordingHead> heads = heads_in(dir, &left);
  if (heads.empty() && !left.empty()) throw InputError(dir.string(), left.front());
  if (heads.empty())
    throw InputError(dir.string(), "no recording (rank-*.apmt) in it", {},
                     ExitCode::kNotEnoughData);
  const std::vector<Launch> launches = group_launches(processes_of(heads));
  if (launches.size() != 1 || launches.front().is_ambiguous)
    throw InputError(
        dir.string(),
        "holds recordings of " +
            std::string(launches.size() > 1 ? std::to_string(launches.size()) : "several") +
            " launches",
        "apmt merge makes a run of each");
  std::vector<fs::path> files;
  for (const std::size_t i : launches.front().members) files.emplace_back(heads[i].file);
  return fold(read_all(files, on_progress));
}

}  // namespace apmt
