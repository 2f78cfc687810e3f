// The JSON form of times on a device, which several subcommands of apmt print.
#pragma once

#include "base/checked_json.h"
#include "devices/estimate.h"
#include "devices/prediction.h"

namespace apmt::devices {

Json json_of(const DeviceTime& time);

/// The value of --data: "resident", "once", "per-call" or "per-step".
const char* name_of(DataPlace place);

}  // namespace apmt::devices
