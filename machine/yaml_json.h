// Reads YAML as JSON, so that hand-written files get the same checks and messages as JSON files.
#pragma once

#include <filesystem>

#include "base/checked_json.h"

namespace apmt {

/// Reads a file whose top level is a map with "format" == `format` and a "format_version" whose
/// major number is `known_major`. Quoted scalars are strings; plain scalars become numbers,
/// booleans or null if they look like one. Throws InputError with the line if the file is not YAML.
Json read_yaml_file(const std::filesystem::path& path, const std::string& format, int known_major);

/// The value of "format" in such a file.
std::string yaml_format(const std::filesystem::path& path);

}  // namespace apmt
