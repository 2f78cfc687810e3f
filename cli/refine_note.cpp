#include "cli/refine_note.h"

#include "base/atomic_file.h"
#include "base/checked_json.h"
#include "cli/refine.h"
#include "profile/run_profile.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStateFile = "refine.json";
constexpr const char* kStateFormat = "apmt-refine";

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

std::optional<LoopNote> read_note(const fs::path& dir) {
  const fs::path file = dir / kStateFile;
  if (!fs::exists(file)) return std::nullopt;
  const Json document = read_json_file(file, kStateFormat, 1);
  const JsonAt json(document, file.string());
  constexpr int kMost = 1 << 24;
  LoopNote note;
  note.at = static_cast<int>(json.at("at").integer_in(1, kMost));
  json.at("before").for_each([&](const JsonAt& name) { note.before.insert(name.string()); });
  if (const auto step = json.find("step"))
    note.step = {static_cast<int>(step->at("procs").integer_in(1, kMost)),
                 static_cast<int>(step->at("reps").integer_in(1, kMost)),
                 step->at("at_frequencies").boolean()};
  return note;
}

void write_note(const fs::path& dir, const LoopNote& note) {
  Json json = {{"format", kStateFormat},
               {"format_version", "1.1"},
               {"at", note.at},
               {"before", note.before}};
  if (note.step)
    json["step"] = {{"procs", note.step->procs},
                    {"reps", note.step->reps},
                    {"at_frequencies", note.step->at_frequencies}};
  write_file_atomically(dir / kStateFile, format_json(json));
}

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
