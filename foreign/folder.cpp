#include "foreign/folder.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "foreign/kind.h"
#include "foreign/other_formats.h"
#include "profile/run_profile.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// Folders of large runs hold a file for each rank; the first files are enough to tell the format.
constexpr std::size_t kMostFiles = 200;
constexpr std::size_t kBeginning = 256 << 10;

/// The entries of the folder that are files or folders, sorted by name. Empty if it cannot be read.
std::vector<fs::path> entries(const fs::path& folder, bool (*are)(const fs::path&)) {
  std::vector<fs::path> paths;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end;
       entry.increment(failed))
    if (are(entry->path())) paths.push_back(entry->path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}
bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::string beginning_of(const fs::path& file) {
  std::string text(kBeginning, '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  return text;
}

/// Whether the first line that is neither empty nor a comment begins as in Extra-P's text. If
/// foreign_kind() recognises no format, it returns kExtrapText, so that read_extrap_text() can name
/// the first wrong line; but most such files in a folder are something else.
bool begins_like_extrap(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos && line.front() != '#')
      return line.starts_with("PARAMETER");
  return false;
}

struct FoundFile {
  fs::path path;
  std::optional<ForeignKind> kind = std::nullopt;  // apmt import reads it
  const OtherFormat* other = nullptr;              // or it is only recognised
  bool is_own = false;                             // or it is a run of apmt
};

/// Whether the file is the profile of a run of apmt. Searches the whole file, because its members
/// are sorted by name, and long lists may precede the name of the format.
bool is_own_run(const fs::path& path) {
  return path.filename() == "profile.json" &&
         read_whole_file(path).find(RunProfile::kFormat) != std::string::npos;
}

FoundFile looked_at(const fs::path& path) {
  const std::string text = beginning_of(path);
  if (is_own_run(path)) return {path, std::nullopt, nullptr, true};
  try {
    const ForeignKind kind = foreign_kind(path.string(), text);
    if (kind == ForeignKind::kExtrapText && !begins_like_extrap(text)) return {path};
    return {path, kind};
  } catch (const InputError&) {
    return {path, std::nullopt, other_format(path.string(), text)};
  }
}

std::vector<FoundFile> looked_at(const std::vector<fs::path>& folders) {
  std::vector<FoundFile> found;
  for (const fs::path& folder : folders)
    for (const fs::path& path : entries(folder, is_file)) {
      if (found.size() == kMostFiles) return found;
      found.push_back(looked_at(path));
      if (found.back().is_own) return found;
    }
  return found;
}

const char* name_of(ForeignKind kind) {
  switch (kind) {
    case ForeignKind::kExtrapText:
    case ForeignKind::kExtrapJsonLines:
    case ForeignKind::kExtrapJson:
    case ForeignKind::kExtrapPacked:
      return "Extra-P";
    case ForeignKind::kCali:
    case ForeignKind::kCaliperJson:
      return "Caliper";
    case ForeignKind::kCube:
      return "Score-P or Scalasca";
    case ForeignKind::kTalp:
      return "TALP";
    case ForeignKind::kMpip:
      break;
  }
  return "mpiP";
}

/// The files as one argument of a command: the name of the only file, or a pattern that matches
/// files of several folders or with the same ending. Profiles of one folder in Cube's format are
/// several views of the same run, so only one of them is named.
std::string as_argument(const fs::path& folder, const std::vector<FoundFile>& files) {
  const fs::path& first = files.front().path;
  const auto all = [&](auto&& same) { return std::all_of(files.begin(), files.end(), same); };
  const bool one_folder =
      all([&](const FoundFile& f) { return f.path.parent_path() == first.parent_path(); });
  if (files.size() == 1 || (one_folder && files.front().kind == ForeignKind::kCube)) {
    for (const FoundFile& file : files)
      if (file.path.filename() == "profile.cubex") return file.path.string();
    return first.string();
  }
  const fs::path where = one_folder ? first.parent_path() : folder / "*";
  if (all([&](const FoundFile& f) { return f.path.filename() == first.filename(); }))
    return (where / first.filename()).string();
  for (const FoundFile& file : files)
    if (file.path.filename() == "profile.cubex") return (where / "profile.cubex").string();
  if (first.has_extension() &&
      all([&](const FoundFile& f) { return f.path.extension() == first.extension(); }))
    return (where / ("*" + first.extension().string())).string();
  return first.string();
}

/// Throws InputError if one of the files shows what the folder is.
void refuse_for(const fs::path& folder, const std::vector<FoundFile>& found) {
  if (!found.empty() && found.back().is_own)
    throw InputError(folder.string(), "is a folder of runs of apmt",
                     "nothing has to be imported: apmt fit uses such a folder as it is");
  std::vector<FoundFile> readable;
  for (const FoundFile& file : found)
    if (file.kind && (readable.empty() || name_of(*file.kind) == name_of(*readable.front().kind)))
      readable.push_back(file);
  if (!readable.empty())
    throw InputError(folder.string(), "is a folder, and apmt import reads files",
                     std::string("it has data of ") + name_of(*readable.front().kind) +
                         ": apmt import " + as_argument(folder, readable));
  const FoundFile* named = nullptr;
  for (const FoundFile& file : found)
    if (file.other != nullptr && (named == nullptr || file.other < named->other)) named = &file;
  if (named != nullptr)
    refuse_format(folder.string(),
                  "a folder, and " + named->path.lexically_relative(folder).string() +
                      " in it is " + named->other->name,
                  named->other->helps);
}

}  // namespace

void refuse_folder(const std::filesystem::path& folder) {
  refuse_for(folder, looked_at(std::vector<fs::path>{folder}));
  refuse_for(folder, looked_at(entries(folder, is_folder)));
  throw InputError(folder.string(), "is a folder, and apmt import reads files",
                   "give the files of the measurement: apmt import FILE...");
}

}  // namespace apmt
