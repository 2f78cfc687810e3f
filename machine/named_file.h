// Finds files that users name by a path or, if they come with apmt (clusters, machines), by a name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

/// The file itself, or NAME.yaml in one of the folders of `configs`. If there is neither, throws
/// InputError that lists all names; `what` describes the kind of file in the message.
std::filesystem::path named_file(const std::string& file_or_name,
                                 const std::filesystem::path& configs,
                                 const std::vector<std::string>& folders, const std::string& what);

}  // namespace apmt
