#include "kernels/compile/fortran_modules.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace apmt {
namespace {

namespace fs = std::filesystem;

bool is_fortran_source(const fs::path& file) {
  static constexpr std::string_view kEndings[] = {".f",   ".for", ".ftn", ".f77", ".f90",
                                                  ".f95", ".f03", ".f08", ".fpp"};
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), ::tolower);
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

/// gfortran compresses its modules; flang's are text.
bool is_compressed(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return stream.get() == 0x1f && stream.get() == 0x8b;
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

std::vector<std::string> modules_used(std::string_view source) {
  std::vector<std::string> modules;
  std::istringstream lines{std::string(source)};
  for (std::string line; std::getline(lines, line);) {
    line.resize(std::min(line.size(), line.find('!')));
    std::transform(line.begin(), line.end(), line.begin(), ::tolower);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == ':'; }, ' ');
    std::istringstream words(line);
    std::string word, name;
    if (!(words >> word) || word != "use" || !(words >> name)) continue;
    while ((name == "intrinsic" || name == "non_intrinsic") && words >> name) continue;
    if (std::find(modules.begin(), modules.end(), name) == modules.end()) modules.push_back(name);
  }
  return modules;
}

std::vector<fs::path> module_folders(const std::vector<std::string>& arguments) {
  std::vector<fs::path> folders = {"."};
  for (std::size_t i = 0; i < arguments.size(); ++i)
    for (const std::string option : {"-I", "-J", "-module-dir"}) {
      if (arguments[i] == option && i + 1 < arguments.size())
        folders.emplace_back(arguments[i + 1]);
      else if (arguments[i].size() > option.size() && arguments[i].starts_with(option) &&
               option.size() == 2)
        folders.emplace_back(arguments[i].substr(2));
    }
  return folders;
}

std::optional<ForeignModule> foreign_module(const std::vector<std::string>& arguments) {
  const std::vector<fs::path> folders = module_folders(arguments);
  for (const std::string& source : arguments) {
    if (source.starts_with("-") || !is_fortran_source(source)) continue;
    for (const std::string& name : modules_used(text_of(source)))
      for (const fs::path& folder : folders) {
        const fs::path file = folder / (name + ".mod");
        if (!fs::exists(file)) continue;
        if (is_compressed(file)) return ForeignModule{name, file, source};
        break;  // the compiler uses the first that exists
      }
  }
  return std::nullopt;
}

}  // namespace apmt
