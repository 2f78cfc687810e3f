#include "devices/machine_card.h"

#include <algorithm>

namespace apmt::devices {
namespace {

constexpr const char* kProfile = "profile";

MaybeFigure figure(const std::optional<Figure>& of, double factor, const std::string& line) {
  if (!of || !(of->value > 0)) return std::nullopt;
  return CardFigure{of->value * factor, of->spread, {kProfile, line}};
}

/// The mean of a figure over the caches. AutoMatch has one level of fast memory, for which its
/// paper uses this mean (section III-A).
MaybeFigure mean_of(const std::vector<CardLevel>& levels, MaybeFigure CardLevel::*member,
                    const std::string& line) {
  double sum = 0, spread = 0;
  int count = 0;
  for (const CardLevel& level : levels)
    if (const MaybeFigure& each = level.*member; each && level.size_bytes) {
      sum += each->value;
      spread = std::max(spread, each->spread);
      ++count;
    }
  if (count == 0) return std::nullopt;
  return CardFigure{sum / count, spread, {kProfile, line}};
}

}  // namespace

Device device_of(const MachineProfile& profile) {
  Device device;
  device.name = profile.name;
  device.kind = "cpu";
  device.note = profile.cpu;
  device.sources[kProfile] = {.kind = profile.provenance == "measured" ? "measured" : "assumed",
                              .address = {},
                              .publisher = {},
                              .note = profile.source};
  const double cores = std::max(1, profile.cores);
  if (profile.cores > 0) {
    device.cores = CardFigure{cores, 0, {kProfile, "cores"}};
    device.units = device.cores;
  }
  device.frequency_hz = figure(profile.frequency_hz, 1, "frequency_hz");
  for (const MemoryLevel& level : profile.levels) {
    if (level.name.starts_with("remote")) continue;
    CardLevel one{.name = level.name, .size_bytes = {}, .latency_s = {}, .bytes_per_s = {}};
    if (level.size_bytes > 0)
      one.size_bytes = CardFigure{static_cast<double>(level.size_bytes), 0, {kProfile, level.name}};
    one.latency_s = figure(level.latency_ns, 1e-9, level.name + ", latency_ns");
    // A profile measures caches with one core. Their bandwidth is multiplied by the number of
    // cores, as if every core had a cache of its own.
    one.bytes_per_s = figure(level.bandwidth_bytes_per_s, level.size_bytes > 0 ? cores : 1,
                             level.name + ", one core's times the cores");
    if (level.size_bytes == 0 && !profile.bandwidth_by_cores.empty())
      one.bytes_per_s = figure(profile.bandwidth_by_cores.back().second, 1, "bandwidth_by_cores");
    // The last cache may be shared with other virtual machines. Then the part of the cache that
    // this virtual machine can use is smaller than the size that the operating system reports.
    if (one.size_bytes && level.name == "LLC" && level.knee_bytes)
      one.size_bytes->value = std::min(one.size_bytes->value, *level.knee_bytes);
    if (one.size_bytes) device.fast_bytes = one.size_bytes;
    device.levels.push_back(std::move(one));
  }
  if (!device.levels.empty() && !device.levels.back().size_bytes) {
    device.slow_latency_s = device.levels.back().latency_s;
    device.slow_bytes_per_s = device.levels.back().bytes_per_s;
  } else if (!profile.bandwidth_by_cores.empty()) {
    device.slow_bytes_per_s =
        figure(profile.bandwidth_by_cores.back().second, 1, "bandwidth_by_cores");
  }
  device.fast_latency_s = mean_of(device.levels, &CardLevel::latency_s, "mean of the caches");
  device.fast_bytes_per_s = mean_of(device.levels, &CardLevel::bytes_per_s, "mean of the caches");
  return device;
}

}  // namespace apmt::devices
