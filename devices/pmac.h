// PMaC's method (its "convolver") for the kernels of an analysis. The time of an idiom (a pattern
// of accesses to memory in a loop) is the number of bytes that its references move, divided by the
// device's bandwidth for this idiom at its footprint (the bytes that the loop touches, divided
// equally among its idioms). References outside idioms add no time, because the method only
// compares the times of idioms between devices.
#pragma once

#include "devices/card.h"
#include "devices/convolver.h"
#include "devices/estimate.h"
#include "devices/prediction.h"
#include "devices/workload.h"

namespace apmt::devices::pmac {

/// Seconds of each of the workload's idioms, in their order, without transfers; nullopt: the card
/// has no bandwidth for the idiom.
std::vector<std::optional<double>> idiom_seconds(const Workload& workload, const Device& device);

/// The same with transfers, which may overlap with the work of the device: each idiom moves a part
/// of the kernel's data that is proportional to its footprint. If the time of its transfers is not
/// known, an idiom has no time.
std::vector<IdiomTime> idiom_times_with_transfers(const Workload& workload, const Device& device,
                                                  DataPlace data, bool do_overlap);

/// The sum of idiom_times_with_transfers(). There is no time if the kernel has no idioms, or if the
/// card lacks the bandwidth of one of them or the time of the transfers.
DevicePrediction predict(const Workload& workload, const Device& device, DataPlace data,
                         bool do_overlap);

}  // namespace apmt::devices::pmac
