#include "foreign/files.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "base/input_error.h"
#include "base/listed.h"
#include "foreign/archive.h"
#include "foreign/kind.h"

namespace apmt {

namespace {

/// A number as C writes it, or nothing.
std::optional<double> number_in(std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return x;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// The names and numbers in "x10y1z2". Empty if the word has another form.
std::map<std::string, double> sizes_in(std::string_view word) {
  std::map<std::string, double> sizes;
  while (!word.empty()) {
    const auto number = std::find_if_not(word.begin(), word.end(), is_letter);
    const auto next = std::find_if_not(number, word.end(), is_digit);
    if (number == word.begin() || next == number) return {};
    const auto value = number_in({&*number, static_cast<std::size_t>(next - number)});
    if (!value) return {};
    sizes[std::string(word.begin(), number)] = *value;
    word.remove_prefix(static_cast<std::size_t>(next - word.begin()));
  }
  return sizes;
}

std::string names_of(const std::map<std::string, double>& numbers) {
  return numbers.empty() ? "none" : listed(numbers);
}

/// Adds the program and the sizes from the folder's name, for files that state only the number of
/// processes.
ForeignFile with_folder(ForeignFile file, const std::string& path) {
  const ForeignFile said =
      said_by_folder(std::filesystem::absolute(path).parent_path().filename().string());
  if (file.program.empty()) file.program = said.program;
  for (ForeignValues& values : file.values)
    for (const auto& [name, size] : said.metadata) values.params.try_emplace(name, size);
  return file;
}

ForeignFile read_as(ForeignKind kind, const std::string& text, const std::string& file,
                    const ForeignReading& reading) {
  switch (kind) {
    case ForeignKind::kExtrapJsonLines:
      return {"", read_extrap_json_lines(text, file)};
    case ForeignKind::kExtrapJson:
      return read_extrap_json(text, file);
    case ForeignKind::kExtrapPacked:
      return read_extrap_json(zip_member(text, ".json", file), file);
    case ForeignKind::kCali:
      return read_cali(text, file, reading.unit);
    case ForeignKind::kCaliperJson:
      return read_caliper_json(text, file, reading.unit);
    case ForeignKind::kCube:
      return with_folder(read_cube(text, file), file);
    case ForeignKind::kTalp:
      return with_folder(read_talp(text, file, reading.region), file);
    case ForeignKind::kMpip:
      return read_mpip(text, file);
    case ForeignKind::kExtrapText:
      break;
  }
  return {"", read_extrap_text(text, file)};
}

std::string program_in(const ForeignFile& file) {
  return file.program.empty() ? "an unknown one in " + file.path : file.program;
}

}  // namespace

ForeignFile read_foreign(const std::string& text, const std::string& file,
                         const ForeignReading& reading) {
  ForeignFile read = read_as(foreign_kind(file, text), text, file, reading);
  read.path = file;
  return read;
}

ForeignFile said_by_folder(const std::string& folder) {
  ForeignFile said;
  std::istringstream words(folder);
  std::getline(words, said.program, '.');
  for (std::string word; std::getline(words, word, '.');) {
    const std::map<std::string, double> sizes = sizes_in(word);
    if (sizes.empty()) return {};
    said.metadata.insert(sizes.begin(), sizes.end());
  }
  if (said.metadata.empty()) return {};
  for (const char* not_a_size : {"p", "r"}) said.metadata.erase(not_a_size);
  return said;
}

ForeignFile joined(std::vector<ForeignFile> files, const std::string& program,
                   const std::vector<std::string>& sizes) {
  ForeignFile all{program, {}};
  std::size_t position = 0;
  for (ForeignFile& file : files) {
    if (position == 0 && program.empty()) all.program = file.program;
    if (program.empty() && file.program != all.program)
      throw InputError("",
                       "the files are of two programs: " + program_in(files.front()) + " and " +
                           program_in(file),
                       "if it is one program, name it: --program NAME");
    for (const std::string& size : sizes)
      if (file.metadata.count(size) == 0)
        throw InputError(file.path, "has no metadata called '" + size + "'",
                         "its numeric metadata: " + names_of(file.metadata));
    for (ForeignValues& values : file.values) {
      for (const std::string& size : sizes) values.params[size] = file.metadata.at(size);
      values.file = position;
      if (values.place.empty()) values.place = file.path;
      all.values.push_back(std::move(values));
    }
    all.warnings.insert(all.warnings.end(), file.warnings.begin(), file.warnings.end());
    ++position;
  }
  if (all.program.find('/') != std::string::npos)
    throw InputError("", "the program's name '" + all.program + "' has a slash",
                     "folders are named after it: give one without a slash, --program NAME");
  return all;
}

}  // namespace apmt
