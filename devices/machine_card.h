// Makes a device card from a machine profile, which has figures of memory and cores.
#pragma once

#include "devices/card.h"
#include "machine/machine_profile.h"

namespace apmt::devices {

/// The card has no rates of arithmetic, cost of a synchronisation or idioms: a profile lacks them.
Device device_of(const MachineProfile& profile);

}  // namespace apmt::devices
