#include "devices/pmac.h"

#include <cmath>
#include <set>

#include "devices/convolver.h"

namespace apmt::devices::pmac {
namespace {

IdiomTime time_of(const IdiomBlock& block, const Device& device) {
  return idiom_memory_s(block.idiom, {block.references, block.bytes / block.references},
                        block.footprint_bytes, device);
}

}  // namespace

std::vector<std::optional<double>> idiom_seconds(const Workload& workload, const Device& device) {
  std::vector<std::optional<double>> seconds;
  for (const IdiomBlock& block : workload.idioms) seconds.push_back(time_of(block, device).seconds);
  return seconds;
}

DevicePrediction predict(const Workload& workload, const Device& device, DataPlace data) {
  DevicePrediction out;
  out.device = device.label;
  if (workload.idioms.empty()) {
    out.why_not = workload.why_no_idioms;
    return out;
  }
  DeviceTime time;
  std::set<std::string> missing;
  bool is_beyond = false;
  for (const IdiomBlock& block : workload.idioms) {
    const IdiomTime one = time_of(block, device);
    if (!one.seconds) missing.insert(one.why_not);
    time.slow_memory_s += one.seconds.value_or(0);
    is_beyond |= one.is_beyond;
  }
  if (!missing.empty()) {
    for (const std::string& what : missing) out.why_not += (out.why_not.empty() ? "" : "; ") + what;
    return out;
  }
  out.notes.push_back(std::to_string(std::lround(100 * workload.share_idioms)) +
                      " % of the kernel's references belong to idioms; only these have a time");
  if (is_beyond) out.notes.push_back(kFootprintsBeyond);
  time.transfer_s = 0;
  if (device.kind != "cpu" && data != DataPlace::kResident) {
    time.transfer_s.reset();
    const double times = data == DataPlace::kPerCall ? workload.invocations : 1;
    if (!workload.lines)
      out.notes.push_back("transfers: left out, the analysis lacks stack distances");
    else if (const double bytes = workload.lines->touched_bytes();
             !(time.transfer_s = transfer_s(bytes, bytes, times, device)))
      out.notes.push_back("transfers: left out, not on the card");
    else if (is_transfer_beyond(bytes, bytes, device))
      out.notes.push_back(kTransfersBeyond);
  }
  time.total_s = with_transfers(time.slow_memory_s, time.transfer_s.value_or(0), false);
  out.time = time;
  return out;
}

}  // namespace apmt::devices::pmac
