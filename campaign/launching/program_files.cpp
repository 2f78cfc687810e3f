#include "campaign/launching/program_files.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <set>

#include "base/input_error.h"
#include "campaign/launching/executable.h"
#include "profiler/reader/object_file.h"
#include "profiler/reader/raw_recording.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// FNV-1a is enough to detect a changed file, because nobody would construct a file with the same
/// hash on purpose.
std::string digest(std::ifstream& in) {
  std::uint64_t hash = 14695981039346656037U;
  std::array<char, 1 << 16> block;
  for (;;) {
    in.read(block.data(), block.size());
    for (std::streamsize i = 0; i < in.gcount(); ++i)
      hash =
          (hash ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) * 1099511628211U;
    if (!in) break;
  }
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

bool is_of_the_system(const fs::path& path) {
  static const std::set<std::string> folders = {"bin", "sbin", "lib", "lib32", "lib64"};
  const fs::path normal = path.lexically_normal();
  auto part = normal.begin();
  if (part == normal.end() || ++part == normal.end()) return false;
  const auto first = part->string();
  if (first != "usr") return folders.contains(first);
  return ++part != normal.end() && (folders.contains(part->string()) || *part == "libexec");
}

/// Whether a program interprets the file that it is given.
bool is_interpreter(const fs::path& program) {
  const std::string name = program.filename().string();
  for (const char* one : {"python", "perl", "ruby", "julia", "Rscript", "lua", "node", "octave"})
    if (name.starts_with(one)) return true;
  for (const char* one : {"sh", "bash", "dash", "ksh", "zsh", "csh", "tcsh"})
    if (name == one) return true;
  return false;
}

/// Whether a library is one of the recorder's, which are not part of the recorded program.
bool is_ours(const fs::path& library) {
  return library.filename().string().starts_with("libapmt-");
}

std::string short_id(const ProgramFile& file) {
  if (!file.build_id.empty()) return "build id " + file.build_id.substr(0, 12);
  return std::to_string(file.bytes) + " bytes, content " + file.content_id.substr(0, 12);
}

}  // namespace

bool ProgramFile::is_same_build(const ProgramFile& other) const {
  if (!build_id.empty() && !other.build_id.empty()) return build_id == other.build_id;
  return build_id.empty() == other.build_id.empty() && bytes == other.bytes &&
         content_id == other.content_id;
}

std::optional<ProgramFile> look_at(const fs::path& path) {
  std::error_code error;
  ProgramFile file{fs::absolute(path).lexically_normal()};
  if (!fs::is_regular_file(file.path, error)) return std::nullopt;
  file.bytes = fs::file_size(file.path, error);
  file.build_id = read_object_file(file.path).build_id;
  if (!file.build_id.empty()) return file;
  std::ifstream in(file.path, std::ios::binary);
  if (!in) return std::nullopt;
  file.content_id = digest(in);
  return file;
}

std::vector<ProgramFile> files_run_by(const std::vector<std::string>& command) {
  std::vector<ProgramFile> files;
  const Target target = target_of(command);
  bool is_interpreted = false;  // the next word that is a file is a script
  for (const std::string& word : command) {
    if (word.empty() || word.front() == '-' || is_launcher_name(word)) continue;
    std::error_code ignored;
    const std::optional<Executable> executable = find_executable(word);
    const bool is_script = is_interpreted && fs::is_regular_file(word, ignored);
    if (!executable && !is_script) continue;
    const fs::path path = executable ? executable->path : fs::path(word);
    is_interpreted = executable && is_interpreter(path);
    const bool is_program = target.program && target.program->path == path;
    if (!is_program && is_of_the_system(fs::absolute(path))) continue;
    if (std::optional<ProgramFile> file = look_at(path)) files.push_back(std::move(*file));
  }
  return files;
}

std::vector<ProgramFile> files_recorded_in(const fs::path& run) {
  std::vector<ProgramFile> files;
  try {
    const fs::path first = run / "rank-00000.apmt";
    if (!fs::exists(first)) return files;
    const RawRecording raw = read_recording(first);
    const std::string program = raw.first("exe");
    for (const RawModule& module : raw.modules)
      if (!module.build_id.empty() && fs::path(module.path).is_absolute() &&
          !is_ours(module.path) && (module.path == program || !is_of_the_system(module.path)))
        files.push_back({module.path, module.build_id});
  } catch (const InputError&) {
    files.clear();  // the reader of the run will report the problem
  }
  return files;
}

std::vector<ProgramFile> still_there(const std::vector<ProgramFile>& loaded,
                                     std::vector<fs::path>* others) {
  std::vector<ProgramFile> files;
  for (const ProgramFile& file : loaded) {
    const std::optional<ProgramFile> there = look_at(file.path);
    if (!there) continue;
    if (there->is_same_build(file))
      files.push_back(*there);
    else
      others->push_back(file.path);
  }
  return files;
}

std::string what_was_rebuilt(const std::vector<ProgramFile>& then,
                             const std::vector<ProgramFile>& now) {
  for (const ProgramFile& old : then) {
    std::vector<ProgramFile> candidates;
    for (const ProgramFile& file : now)
      // A script may have the same name as the program that it starts (libtool's ./app of
      // .libs/app), but is another file.
      if (file.path == old.path || (file.path.filename() == old.path.filename() &&
                                    file.build_id.empty() == old.build_id.empty()))
        candidates.push_back(file);
    if (candidates.empty())
      if (std::optional<ProgramFile> there = look_at(old.path)) candidates.push_back(*there);
    if (candidates.empty()) continue;  // there is no file to compare with
    if (std::none_of(candidates.begin(), candidates.end(),
                     [&](const ProgramFile& file) { return file.is_same_build(old); }))
      return candidates.front().path.string() + " (" + short_id(old) + " then, " +
             short_id(candidates.front()) + " now)";
  }
  return {};
}

Json to_json(const std::vector<ProgramFile>& files) {
  Json list = Json::array();
  for (const ProgramFile& file : files) {
    Json json = {{"path", file.path.string()}, {"bytes", file.bytes}};
    if (!file.build_id.empty()) json["build_id"] = file.build_id;
    if (!file.content_id.empty()) json["content_id"] = file.content_id;
    list.push_back(json);
  }
  return list;
}

std::vector<ProgramFile> program_files_from(const JsonAt& list) {
  std::vector<ProgramFile> files;
  list.for_each([&](const JsonAt& json) {
    ProgramFile file{json.at("path").string()};
    file.bytes = static_cast<std::uint64_t>(json.at("bytes").integer_in(0, std::int64_t{1} << 53));
    if (const auto id = json.find("build_id")) file.build_id = id->string();
    if (const auto id = json.find("content_id")) file.content_id = id->string();
    files.push_back(std::move(file));
  });
  return files;
}

}  // namespace apmt
