#include "devices/convolver.h"

#include <algorithm>

namespace apmt::devices {

std::optional<double> host_memory_s(const std::map<std::string, References>& by_level,
                                    const Device& host) {
  double seconds = 0;
  for (const auto& [name, references] : by_level) {
    const auto level = std::find_if(host.levels.begin(), host.levels.end(),
                                    [&](const CardLevel& l) { return l.name == name; });
    if (level == host.levels.end() || !level->bytes_per_s) return std::nullopt;
    seconds += references.count * references.bytes / level->bytes_per_s->value;
  }
  return seconds;
}

IdiomTime idiom_memory_s(const std::string& idiom, const References& references,
                         double footprint_bytes, const Device& device) {
  const auto curve = device.idioms.find(idiom);
  if (curve == device.idioms.end())
    return {{}, "the card of " + device.name + " has no bandwidth of the idiom " + idiom, false};
  const auto rate = curve->second.at(footprint_bytes);
  if (!rate)
    return {{},
            "the card of " + device.name + " has the bandwidth of the idiom " + idiom +
                " only from " + std::to_string(static_cast<long long>(curve->second.from_bytes())) +
                " bytes on",
            false};
  return {references.count * references.bytes / rate->bytes_per_s, {}, rate->is_beyond};
}

std::map<std::string, double> seconds_by_idiom(const std::vector<BlockTimes>& blocks,
                                               const std::string& device) {
  std::map<std::string, double> out;
  for (const BlockTimes& block : blocks) {
    const auto there = block.device_s.find(device);
    out[block.idiom] += there == block.device_s.end() ? block.host_s : there->second;
  }
  return out;
}

std::string best_device(const BlockTimes& block, const std::vector<std::string>& devices) {
  std::string best;
  double seconds = block.host_s;
  for (const std::string& device : devices)
    if (const auto there = block.device_s.find(device);
        there != block.device_s.end() && there->second < seconds) {
      best = device;
      seconds = there->second;
    }
  return best;
}

std::map<std::string, double> best_seconds_by_idiom(const std::vector<BlockTimes>& blocks,
                                                    const std::vector<std::string>& devices) {
  std::map<std::string, double> out;
  for (const BlockTimes& block : blocks) {
    const std::string best = best_device(block, devices);
    out[block.idiom] += best.empty() ? block.host_s : block.device_s.at(best);
  }
  return out;
}

double sum(const std::map<std::string, double>& seconds) {
  double total = 0;
  for (const auto& [idiom, each] : seconds) total += each;
  return total;
}

double saved_share(double coverage, double host_s, double ported_s) {
  return coverage * (1 - ported_s / host_s);
}

std::optional<double> transfer_s(double bytes_there, double bytes_back, double times,
                                 const Device& device) {
  const auto there = device.to_device.seconds(bytes_there);
  const auto back = device.from_device.seconds(bytes_back);
  if (!there || !back) return std::nullopt;
  return times * (*there + *back);
}

bool is_transfer_beyond(double bytes_there, double bytes_back, const Device& device) {
  return device.to_device.is_beyond(bytes_there) || device.from_device.is_beyond(bytes_back);
}

double with_transfers(double device_s, double transfer_s, bool do_overlap) {
  return do_overlap ? std::max(device_s, transfer_s) : device_s + transfer_s;
}

}  // namespace apmt::devices
