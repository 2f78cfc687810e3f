// A temporary folder, removed at the end of its scope.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/input_error.h"

namespace apmt {

class TemporaryFolder {
 public:
  explicit TemporaryFolder(
      const std::filesystem::path& inside = std::filesystem::temp_directory_path()) {
    std::string name = (inside / ".apmt-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw InputError(name, "cannot be created",
                       "set TMPDIR to a writable folder, or start apmt in one", ExitCode::kFailed);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace apmt
