#include "campaign/join_programs.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "base/input_error.h"
#include "campaign/run_directory.h"
#include "profiler/reader/fold.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// What one program left of a run.
struct Part {
  fs::path dir;
  std::string launch;  // the directory's name without the program's
  std::uint32_t world_size;
  std::set<std::int32_t> ranks;
};

/// The name of a directory without that of the program, which is at its end.
std::string launch_of(const fs::path& dir, const RawRecording& raw) {
  std::string name = dir.filename().string();
  const std::string program = "-" + fs::path(raw.first("exe")).filename().string();
  if (name.ends_with(program)) name.resize(name.size() - program.size());
  return name;
}

/// Without ranks where nothing can be said.
Part part_in(const fs::path& dir) {
  Part part{dir, {}, 0, {}};
  try {
    std::vector<RawRecording> all;
    for (const fs::path& file : recordings_in(dir)) all.push_back(read_recording(file));
    if (!all.empty()) part.launch = launch_of(dir, all.front());
    for (const RawRecording& raw : all) {
      if (raw.header.world_rank < 0 || is_left_out(raw, all)) continue;
      part.world_size = static_cast<std::uint32_t>(raw.header.world_size);
      part.ranks.insert(raw.header.world_rank);
    }
  } catch (const InputError&) {
    part.ranks.clear();  // who merges it says what is wrong
  }
  return part;
}

bool belong_together(const Part& a, const Part& b) {
  return a.launch == b.launch && a.world_size == b.world_size &&
         std::none_of(b.ranks.begin(), b.ranks.end(),
                      [&](std::int32_t rank) { return a.ranks.contains(rank); });
}

/// `from` is empty after it.
void move_recordings(Part& from, Part* to) {
  for (const fs::path& file : recordings_in(from.dir)) fs::rename(file, to->dir / file.filename());
  fs::remove_all(from.dir);
  to->ranks.merge(from.ranks);
}

}  // namespace

std::vector<fs::path> join_programs(const std::vector<fs::path>& running) {
  if (running.size() < 2) return running;
  std::vector<fs::path> remaining;
  std::vector<Part> parts;
  for (const fs::path& dir : running) {
    Part part = part_in(dir);
    if (part.ranks.empty() || part.world_size == part.ranks.size())
      remaining.push_back(dir);
    else
      parts.push_back(std::move(part));
  }
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return *a.ranks.begin() < *b.ranks.begin(); });
  std::vector<Part> whole;
  for (Part& part : parts) {
    const auto other = std::find_if(whole.begin(), whole.end(),
                                    [&](const Part& w) { return belong_together(w, part); });
    if (other == whole.end())
      whole.push_back(std::move(part));
    else
      move_recordings(part, &*other);
  }
  for (const Part& part : whole) remaining.push_back(part.dir);
  std::sort(remaining.begin(), remaining.end());
  return remaining;
}

}  // namespace apmt
