#include "machine/named_file.h"

#include <set>

#include "base/input_error.h"

namespace apmt {

namespace fs = std::filesystem;

fs::path named_file(const std::string& file_or_name, const fs::path& configs,
                    const std::vector<std::string>& folders, const std::string& what) {
  if (fs::is_regular_file(file_or_name)) return file_or_name;
  std::set<std::string> names;
  for (const std::string& folder : folders) {
    const fs::path ours = configs / folder / (file_or_name + ".yaml");
    if (file_or_name.find('/') == std::string::npos && fs::is_regular_file(ours)) return ours;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(configs / folder, ignored))
      names.insert(entry.path().stem().string());
  }
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw InputError(file_or_name, "no such " + what, "a file, or one of: " + known);
}

}  // namespace apmt
