// PMaC's convolver for the kernels of an analysis. An idiom of a loop takes the bytes of its
// references, divided by the device's bandwidth for the idiom at its footprint. References outside
// idioms get no time, because the method only compares idioms on devices.
#pragma once

#include "devices/card.h"
#include "devices/estimate.h"
#include "devices/prediction.h"
#include "devices/workload.h"

namespace apmt::devices::pmac {

/// Seconds of each of the workload's idioms, in their order; nullopt: the card has no bandwidth for
/// the idiom.
std::vector<std::optional<double>> idiom_seconds(const Workload& workload, const Device& device);

/// The sum of idiom_seconds() and of the transfers. There is no time if the kernel has no idioms,
/// or if the card lacks the bandwidth of one of them.
DevicePrediction predict(const Workload& workload, const Device& device, DataPlace data);

}  // namespace apmt::devices::pmac
