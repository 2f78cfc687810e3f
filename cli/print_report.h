// How verbs show a report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "reports/report.h"

namespace apmt {

/// Prints the report, or `json` in its place, to stdout. If `page` is not empty, also writes the
/// report to this file, as an HTML page.
void print_report(const Report& report, const std::filesystem::path& page,
                  const std::optional<std::string>& json);

}  // namespace apmt
