// The report of `apmt match`.
#pragma once

#include <string>
#include <vector>

#include "devices/match.h"
#include "reports/report.h"

namespace apmt {

/// A ranking of the devices for each kernel.
Report make_match_report(const devices::Match& match);

/// Sentences on what is unknown: why devices have no time, and what their times do not include.
/// Each names all devices to which it applies.
std::vector<std::string> gaps_of(const devices::KernelMatch& kernel);

}  // namespace apmt
