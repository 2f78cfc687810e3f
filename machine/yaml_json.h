// Reads YAML as JSON, so that hand-written files get the same checks and the same messages.
#pragma once

#include <filesystem>

#include "base/checked_json.h"

namespace apmt {

/// A file whose top level is a map with "format" == `format` and a "format_version" with the known
/// major. Quoted scalars are strings; plain ones are numbers, booleans or null if they look like
/// it. Throws InputError with the line if it is not YAML.
Json read_yaml_file(const std::filesystem::path& path, const std::string& format, int known_major);

/// The value of "format" in such a file.
std::string yaml_format(const std::filesystem::path& path);

}  // namespace apmt
