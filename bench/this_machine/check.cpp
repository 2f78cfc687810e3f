// check idioms CARD DEVICE LARGEST: measures the idioms at sizes between those of the card, and
// compares the bandwidths with those that the card gives. DEVICE is a device as in the option
// --device of apmt calibrate, such as cpu or opencl.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/input_error.h"
#include "devices/calibrate/device_choice.h"
#include "devices/calibrate/idiom_launches.h"
#include "devices/calibrate/idiom_loops.h"
#include "devices/calibrate/opencl.h"
#include "machine/topology.h"

namespace apmt::devices {
namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[values.size() / 2];
}

/// `most_passes` is the same as for the card: with fewer passes, a launch costs more per pass.
void compare(const Device& card, IdiomRunner& runner, std::uint64_t largest,
             std::uint64_t most_passes) {
  const auto curves = measure_idioms(
      runner,
      {.smallest_bytes = 1536, .largest_bytes = largest, .most_passes = most_passes, .origin = {}},
      [] {});
  std::vector<double> all;
  std::puts("| idiom | sizes | error, median | largest |\n|---|---:|---:|---:|");
  for (const auto& [idiom, curve] : curves) {
    std::vector<double> errors;
    for (const Curve::Point& point : curve.points)
      if (const auto predicted = card.idioms.at(idiom).at(point.bytes))
        errors.push_back(std::abs(predicted->bytes_per_s / point.bytes_per_s - 1));
    all.insert(all.end(), errors.begin(), errors.end());
    if (errors.empty()) continue;
    std::printf("| %s | %zu | %.0f %% | %.0f %% |\n", idiom.c_str(), errors.size(),
                100 * median(errors), 100 * *std::max_element(errors.begin(), errors.end()));
  }
  std::printf("| all | %zu | %.0f %% | %.0f %% |\n", all.size(), 100 * median(all),
              100 * (all.empty() ? 0 : *std::max_element(all.begin(), all.end())));
}

void check_idioms(const char* file, const char* name, std::uint64_t largest) {
  const Device card = read_device(file);
  const DeviceChoice choice = device_choice(name);
  if (choice.interface == DeviceInterface::kCpu) {
    Team team(usable_cpus());
    SharedMemory memory(largest, team);
    IdiomLoops loops(memory, team);
    return compare(card, loops, largest, IdiomSizes{}.most_passes);
  }
  const auto device = open_opencl(choice.index);
  DeviceMemory memory(*device, largest);
  IdiomLaunches launches(*device, memory, true);
  compare(card, launches, largest, 200);
}

}  // namespace
}  // namespace apmt::devices

int main(int argc, char** argv) {
  try {
    if (argc == 5 && std::strcmp(argv[1], "idioms") == 0)
      apmt::devices::check_idioms(argv[2], argv[3], static_cast<std::uint64_t>(std::atof(argv[4])));
    else
      return 2;
  } catch (const apmt::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
