// check idioms CARD DEVICE LARGEST: measures the idioms at sizes between those of the card, and
// compares the bandwidths with those that the card gives. DEVICE is a device as in the option
// --device of apmt calibrate, such as cpu or opencl.
// check split: shares a loop between two threads, one of which has only half of its core. The
// shares are calculated from the time that each thread takes alone. Compares the loop's time with
// the times for even shares and for the best shares.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/input_error.h"
#include "devices/calibrate/device_choice.h"
#include "devices/calibrate/idiom_launches.h"
#include "devices/calibrate/idiom_loops.h"
#include "devices/calibrate/opencl.h"
#include "devices/split.h"
#include "machine/repeat.h"
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

/// Work on the elements of a vector. Each element takes the same time.
class Loop {
 public:
  explicit Loop(std::size_t elements) : data_(elements, 1.0) {}
  std::size_t size() const { return data_.size(); }
  void work(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      for (int k = 0; k < 100; ++k) data_[i] = data_[i] * 0.999 + 0.001;
  }

 private:
  std::vector<double> data_;
};

void check_split() {
  const std::vector<int> cpus = usable_cpus();
  if (cpus.size() < 2) throw InputError("", "needs two processors");
  Loop small(1 << 14), large(1 << 17);
  Team team({cpus[0], cpus[1]});
  bool stop = false;
  std::thread load([&] {
    const OnCpu stay(cpus[1]);
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    }
  });
  const auto shared = [&](Loop& loop, double first_share) {
    const auto middle = static_cast<std::size_t>(first_share * static_cast<double>(loop.size()));
    return repeat(
               [&] {
                 return team.run([&](std::size_t thread) {
                   thread == 0 ? loop.work(0, middle) : loop.work(middle, loop.size());
                 });
               },
               {0.05, 9, 15, 3})
        .value;
  };
  // The shares are calculated from times of the small loop, and are used for the large one.
  const Split predicted = split({shared(small, 1), shared(small, 0)});
  const double seconds = shared(large, predicted.shares[0]), even = shared(large, 0.5);
  double best = seconds, best_share = predicted.shares[0];
  for (double share = 0.05; share < 1; share += 0.05)
    if (const double s = shared(large, share); s < best) best = s, best_share = share;
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  load.join();
  std::printf(
      "| shares | to the free core | time | over the best |\n|---|---:|---:|---:|\n"
      "| predicted | %.0f %% | %.2f ms | %.2f |\n| even | 50 %% | %.2f ms | %.2f |\n"
      "| best of 20 | %.0f %% | %.2f ms | 1 |\n",
      100 * predicted.shares[0], 1e3 * seconds, seconds / best, 1e3 * even, even / best,
      100 * best_share, 1e3 * best);
}

}  // namespace
}  // namespace apmt::devices

int main(int argc, char** argv) {
  try {
    if (argc == 5 && std::strcmp(argv[1], "idioms") == 0)
      apmt::devices::check_idioms(argv[2], argv[3], static_cast<std::uint64_t>(std::atof(argv[4])));
    else if (argc == 2 && std::strcmp(argv[1], "split") == 0)
      apmt::devices::check_split();
    else
      return 2;
  } catch (const apmt::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
