// The report of `apmt offload`.
#pragma once

#include "devices/offload/offload.h"
#include "reports/report.h"

namespace apmt {

/// The program's time with ported kernels at each requested process count, and the order of
/// porting.
Report make_offload_report(const devices::Offload& offload);

}  // namespace apmt
