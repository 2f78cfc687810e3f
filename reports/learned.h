// What `apmt learn` and `apmt advise` say.
#pragma once

#include "devices/learned/data_checks.h"
#include "reports/report.h"

namespace apmt {

Report make_data_report(const learned::DataFindings& findings);

}  // namespace apmt
