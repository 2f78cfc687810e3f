// PMaC's convolver for the kernels of an analysis: each idiom of each loop takes its references
// times their size over the bandwidth that the device has for the idiom at the loop's footprint.
// References outside idioms have no time: the method compares idioms on devices.
#pragma once

#include "devices/card.h"
#include "devices/estimate.h"
#include "devices/prediction.h"
#include "devices/workload.h"

namespace apmt::devices::pmac {

/// Seconds of each of the workload's idioms, in their order; nullopt: the card has no bandwidth for
/// it.
std::vector<std::optional<double>> idiom_seconds(const Workload& workload, const Device& device);

/// Their sum. No time if the kernel has no idioms, or the card lacks the bandwidth of one of them.
DevicePrediction predict(const Workload& workload, const Device& device, DataPlace data);

}  // namespace apmt::devices::pmac
