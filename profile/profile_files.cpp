#include "profile/profile_files.h"

#include <algorithm>

namespace apmt {

std::vector<std::filesystem::path> profiles_in(const std::filesystem::path& dir) {
  namespace fs = std::filesystem;
  constexpr const char* kName = "profile.json";
  std::vector<fs::path> files;
  if (fs::exists(dir / kName)) files.push_back(dir / kName);
  for (const fs::directory_entry& entry : fs::directory_iterator(dir))
    if (entry.is_directory() && !entry.path().filename().string().starts_with('.') &&
        fs::exists(entry.path() / kName))
      files.push_back(entry.path() / kName);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace apmt
