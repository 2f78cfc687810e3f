#include "devices/pmac.h"

#include <cmath>
#include <set>

namespace apmt::devices::pmac {
namespace {

IdiomTime time_of(const IdiomBlock& block, const Device& device) {
  return idiom_memory_s(block.idiom, {block.references, block.bytes / block.references},
                        block.footprint_bytes, device);
}

/// The transfers of the data of a kernel.
struct Transfers {
  std::optional<double> seconds = {};
  std::string why_not = {};
  bool is_beyond = false;  // larger than any that was measured
};

Transfers transfers_of(const Workload& workload, const Device& device, DataPlace data) {
  if (device.kind == "cpu" || data == DataPlace::kResident) return {.seconds = 0};
  const double bytes = touched_bytes(workload);
  const auto seconds = transfer_s(bytes, bytes, moves_of(workload, data), device);
  if (!seconds) return {.why_not = "not on the card"};
  return {.seconds = seconds, .is_beyond = is_transfer_beyond(bytes, bytes, device)};
}

/// The idiom's share of a quantity, such as the time of transfers, that is divided among the
/// kernel's idioms in proportion to their footprints.
double part_of(const IdiomBlock& block, const Workload& workload) {
  double footprints = 0;
  for (const IdiomBlock& each : workload.idioms) footprints += each.footprint_bytes;
  return block.footprint_bytes / footprints;
}

}  // namespace

std::vector<std::optional<double>> idiom_seconds(const Workload& workload, const Device& device) {
  std::vector<std::optional<double>> seconds;
  for (const IdiomBlock& block : workload.idioms) seconds.push_back(time_of(block, device).seconds);
  return seconds;
}

std::vector<IdiomTime> idiom_times_with_transfers(const Workload& workload, const Device& device,
                                                  DataPlace data, bool do_overlap) {
  const Transfers transfers = transfers_of(workload, device, data);
  std::vector<IdiomTime> times;
  for (const IdiomBlock& block : workload.idioms) {
    IdiomTime& one = times.emplace_back(time_of(block, device));
    if (one.seconds && !transfers.seconds)
      one = {{}, "transfers to " + device.name + " have no time: " + transfers.why_not, false};
    else if (one.seconds)
      one.seconds =
          with_transfers(*one.seconds, *transfers.seconds * part_of(block, workload), do_overlap);
  }
  return times;
}

DevicePrediction predict(const Workload& workload, const Device& device, DataPlace data,
                         bool do_overlap) {
  DevicePrediction out;
  out.device = device.label;
  if (workload.idioms.empty()) {
    out.why_not = workload.why_no_idioms;
    return out;
  }
  const Transfers transfers = transfers_of(workload, device, data);
  DeviceTime time;
  time.transfer_s = transfers.seconds;
  std::set<std::string> missing;
  bool is_beyond = false;
  for (const IdiomBlock& block : workload.idioms) {
    const IdiomTime one = time_of(block, device);
    if (!one.seconds) missing.insert(one.why_not);
    const double seconds = one.seconds.value_or(0);
    time.slow_memory_s = time.slow_memory_s.value_or(0) + seconds;
    time.total_s += with_transfers(
        seconds, transfers.seconds.value_or(0) * part_of(block, workload), do_overlap);
    is_beyond |= one.is_beyond;
  }
  if (!transfers.seconds) missing.insert("transfers have no time: " + transfers.why_not);
  if (!missing.empty()) {
    for (const std::string& what : missing) out.why_not += (out.why_not.empty() ? "" : "; ") + what;
    return out;
  }
  out.notes.push_back(std::to_string(std::lround(100 * workload.share_idioms)) +
                      " % of the kernel's references belong to idioms; only these have a time");
  if (is_beyond) out.notes.push_back(kFootprintsBeyond);
  if (transfers.is_beyond) out.notes.push_back(kTransfersBeyond);
  out.time = time;
  return out;
}

}  // namespace apmt::devices::pmac
