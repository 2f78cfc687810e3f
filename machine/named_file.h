// Data of the installation by its name: clusters, machines.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

/// The file itself, or NAME.yaml in one of the folders of `configs`. Throws InputError with all
/// names where there is neither; `what` says what it is for people.
std::filesystem::path named_file(const std::string& file_or_name,
                                 const std::filesystem::path& configs,
                                 const std::vector<std::string>& folders, const std::string& what);

}  // namespace apmt
