#include "refine/loop_note.h"

#include "base/atomic_file.h"
#include "base/checked_json.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormat = "apmt-refine";

}  // namespace

std::optional<LoopNote> read_note(const fs::path& dir) {
  const fs::path file = dir / LoopNote::kFile;
  if (!fs::exists(file)) return std::nullopt;
  const Json document = read_json_file(file, kFormat, 1);
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
  Json json = {
      {"format", kFormat}, {"format_version", "1.1"}, {"at", note.at}, {"before", note.before}};
  if (note.step)
    json["step"] = {{"procs", note.step->procs},
                    {"reps", note.step->reps},
                    {"at_frequencies", note.step->at_frequencies}};
  write_file_atomically(dir / LoopNote::kFile, format_json(json));
}

}  // namespace apmt
