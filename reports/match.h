// The report of `apmt match`.
#pragma once

#include <string>
#include <vector>

#include "devices/match.h"
#include "reports/report.h"

namespace apmt {

/// A ranking of the devices for each kernel.
Report make_match_report(const devices::Match& match);

/// What devices lack, each sentence once, with the devices that lack it.
std::vector<std::string> gaps_of(const devices::KernelMatch& kernel);

}  // namespace apmt
