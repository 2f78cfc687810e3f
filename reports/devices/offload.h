// The report of `apmt offload`.
#pragma once

#include "devices/offload/offload.h"
#include "reports/report.h"

namespace apmt {

/// The program with ports at each process count asked for, and the order of porting.
Report make_offload_report(const devices::Offload& offload);

}  // namespace apmt
