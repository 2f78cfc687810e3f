// Finds files that users name by a path or, if they come with apmt (clusters, machines), by a name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace apmt {

/// The file `file_or_name` if it exists, otherwise `file_or_name`.yaml in the first of the
/// `folders` of `configs` that has it. If there is neither, throws an InputError that lists the
/// known names; `what` describes the kind of file in its message.
std::filesystem::path named_file(const std::string& file_or_name,
                                 const std::filesystem::path& configs,
                                 const std::vector<std::string>& folders, const std::string& what);

}  // namespace apmt
