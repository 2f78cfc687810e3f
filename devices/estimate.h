// apmt's own estimate of a kernel's time on a device. Unlike AutoMatch, this estimate counts all
// operations, not only floating-point ones, takes every cache level into account, and adds the cost
// of launches and transfers. The result is the time of a port that uses the device as well as the
// kernel's dependences allow, so real ports take longer. docs/devices.md has the formulas.
#pragma once

#include "devices/card.h"
#include "devices/prediction.h"
#include "devices/workload.h"

namespace apmt::devices {

enum class DataPlace {
  kResident,  // already on the device, and left there
  kOnce,      // moved there before the first call and back after the last
  kPerCall,   // moved there and back at each call
  kPerStep,   // moved there and back in each time step of the program
};

/// How often the data of the kernel move to the device and back; `data` must not be kResident.
double moves_of(const Workload& workload, DataPlace data);

/// The time of one rank's work. `ranks` ranks use the device in turn, so they share its caches.
DevicePrediction estimate(const Workload& workload, const Device& device, DataPlace data,
                          int ranks = 1);

}  // namespace apmt::devices
