// The report of `apmt match`.
#pragma once

#include "devices/match.h"
#include "reports/report.h"

namespace apmt {

/// A ranking of the devices for each kernel.
Report make_match_report(const devices::Match& match);

}  // namespace apmt
