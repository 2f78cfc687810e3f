// A machine profile as a device card, with its figures of memory and cores.
#pragma once

#include "devices/card.h"
#include "machine/machine_profile.h"

namespace apmt::devices {

/// Rates of arithmetic, the cost of a synchronisation and idioms stay absent: a profile has none.
Device device_of(const MachineProfile& profile);

}  // namespace apmt::devices
