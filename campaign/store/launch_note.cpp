#include "campaign/store/launch_note.h"

#include "base/atomic_file.h"
#include "base/checked_json.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "apmt-launch";

}  // namespace

void write_launch_note(const LaunchNote& note, const fs::path& run) {
  Json json = {{"format", kFormat},
               {"format_version", "1.3"},
               {"command", note.command},
               {"elapsed_s", note.elapsed_s}};
  if (note.repetition > 0) json["repetition"] = note.repetition;
  if (note.exit_code != 0) json["exit_code"] = note.exit_code;
  if (!note.files.empty()) json["files"] = to_json(note.files);
  if (note.loaded) json["loaded"] = to_json(*note.loaded);
  write_file_atomically(run / LaunchNote::kFile, format_json(json));
}

LaunchNote read_launch_note(const fs::path& run) {
  const std::string file = (run / LaunchNote::kFile).string();
  const Json json = read_json_file(file, kFormat, 1);
  const JsonAt root(json, file);
  LaunchNote note;
  root.at("command").for_each([&](const JsonAt& word) { note.command.push_back(word.string()); });
  note.elapsed_s = root.at("elapsed_s").non_negative();
  if (const std::optional<JsonAt> repetition = root.find("repetition"))
    note.repetition = static_cast<int>(repetition->integer_in(1, 1 << 30));
  if (const std::optional<JsonAt> code = root.find("exit_code"))
    note.exit_code = static_cast<int>(code->integer_in(0, 255));
  if (const std::optional<JsonAt> files = root.find("files"))
    note.files = program_files_from(*files);
  if (const std::optional<JsonAt> loaded = root.find("loaded"))
    note.loaded = program_files_from(*loaded);
  return note;
}

std::vector<ProgramFile> files_of_run(const fs::path& run) {
  LaunchNote note;
  if (fs::exists(run / LaunchNote::kFile)) note = read_launch_note(run);
  const std::vector<ProgramFile> loaded = note.loaded ? *note.loaded : files_recorded_in(run);
  note.files.insert(note.files.end(), loaded.begin(), loaded.end());
  return note.files;
}

}  // namespace apmt
