// A model's prediction for a kernel on a device: its time, or why there is none.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace apmt::devices {

/// Seconds by cause. A part that is absent is not known; the total is then a lower bound.
struct DeviceTime {
  double computation_s = 0;
  std::optional<double> fast_memory_s;
  std::optional<double> slow_memory_s;
  std::optional<double> latency_s;  // of loads that wait for each other, one after the other
  std::optional<double> synchronisation_s;
  std::optional<double> launch_s;
  std::optional<double> transfer_s;
  double total_s = 0;

  /// The largest part: "computation", "fast memory", "slow memory" ...
  std::string bottleneck() const;
};

/// The time if all measured figures of the card have the value of their fast quartile (low_s), or
/// of their slow quartile (high_s).
struct TimeRange {
  double low_s = 0, high_s = 0;
};

struct DevicePrediction {
  std::string device;
  std::optional<DeviceTime> time;
  std::optional<TimeRange> range;  // absent if the card's figures have no spread
  /// The probability that this device is the fastest of those with a time; absent if no other
  /// device has a time, or if the error of the method is not known.
  std::optional<double> probability;
  std::optional<double> slow_bytes;  // moved from and to the slow memory
  std::string why_not;               // why there is no time
  /// A cost that the time lacks although it may be much of it: "launches". Such a time cannot be
  /// compared with those of other devices. Empty: none.
  std::string lacks;
  std::vector<std::string> notes;  // what was left out or assumed
};

/// Collects the names of missing figures.
class Needs {
 public:
  explicit Needs(std::string device) : device_(std::move(device)) {}

  /// Returns the value of the figure; if there is none, adds `what` to the missing figures and
  /// returns 0.
  template <class Maybe>
  double operator()(const Maybe& figure, const char* what) {
    if (figure) return figure->value;
    missing_.push_back(what);
    return 0;
  }
  void lack(const std::string& what) { missing_.push_back(what); }
  bool are_met() const { return missing_.empty(); }
  std::string words() const;

 private:
  std::string device_;
  std::vector<std::string> missing_;
};

}  // namespace apmt::devices
