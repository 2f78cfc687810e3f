// The report of a device card.
#pragma once

#include "devices/card.h"
#include "reports/report.h"

namespace apmt {

Report make_device_report(const devices::Device& device);

}  // namespace apmt
