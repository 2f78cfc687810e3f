#include "devices/device_time_json.h"

namespace apmt::devices {

Json json_of(const DeviceTime& time) {
  return {{"computation_s", time.computation_s},
          {"fast_memory_s", json_or_null(time.fast_memory_s)},
          {"slow_memory_s", json_or_null(time.slow_memory_s)},
          {"latency_s", json_or_null(time.latency_s)},
          {"synchronisation_s", json_or_null(time.synchronisation_s)},
          {"launch_s", json_or_null(time.launch_s)},
          {"transfer_s", json_or_null(time.transfer_s)},
          {"total_s", time.total_s}};
}

const char* name_of(DataPlace place) {
  constexpr const char* kNames[] = {"resident", "once", "per-call", "per-step"};
  return kNames[static_cast<std::size_t>(place)];
}

}  // namespace apmt::devices
