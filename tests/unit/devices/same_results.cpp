#include "tests/unit/devices/same_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"
#include "devices/calibrate/accelerator_probe.h"
#include "devices/calibrate/idiom_launches.h"
#include "devices/calibrate/idiom_loops.h"
#include "machine/topology.h"

namespace apmt::devices::testing {

void expect_results_of_threads(Accelerator& device) {
  constexpr std::uint64_t kBytes = 1 << 17;
  DeviceMemory there(device, kBytes);
  IdiomLaunches launches(device, there, true);
  // There are as many threads as the device has workers, so both compute the same rows of a
  // product.
  Team team(std::vector<int>(launches.workers(), usable_cpus().at(0)));
  SharedMemory memory(kBytes, team);
  IdiomLoops loops(memory, team);
  double* here = reinterpret_cast<double*>(memory.begin());
  std::vector<double> back(kBytes / sizeof(double));
  for (const char* idiom : kIdioms)
    for (const std::uint64_t bytes : {std::uint64_t{1024}, std::uint64_t{10'008}, kBytes}) {
      SCOPED_TRACE(std::string(idiom) + " of " + std::to_string(bytes) + " bytes");
      const IdiomPass pass = pass_of(idiom, bytes, launches.workers());
      const std::size_t count = static_cast<std::size_t>(pass.footprint_bytes) / sizeof(double);
      loops.prepare(pass);
      launches.prepare(pass);
      // The index is already the same on the device and here; the other elements get the same
      // values now.
      device.read(there.buffer(), back.data(), count * sizeof(double));
      const bool has_index = pass.idiom == "gather" || pass.idiom == "scatter";
      const std::size_t values = has_index ? pass.c : count;
      for (std::size_t i = 0; i < values; ++i) here[i] = back[i] = static_cast<double>(i % 1000);
      device.write(there.buffer(), back.data(), count * sizeof(double));
      const std::vector<double> before(here, here + count);
      loops.seconds(1);
      launches.seconds(1);
      if (pass.idiom == "reduction") {
        const Launch read = launches.read(count, 1);
        const std::size_t groups = read.items / read.group_items;
        std::vector<double> sums(groups);
        device.read(read.buffers.at(1), sums.data(), groups * sizeof(double));
        EXPECT_DOUBLE_EQ(std::accumulate(sums.begin(), sums.end(), 0.0),
                         std::accumulate(here, here + count, 0.0));
        continue;
      }
      device.read(there.buffer(), back.data(), count * sizeof(double));
      std::size_t different = 0;
      for (std::size_t i = 0; i < count; ++i)
        different += std::abs(here[i] - back[i]) > 1e-9 * std::abs(here[i]) ? 1 : 0;
      EXPECT_EQ(different, 0u);
      EXPECT_FALSE(std::equal(before.begin(), before.end(), here)) << "nothing was computed";
    }
}

void expect_measured_card(Accelerator& device) {
  std::size_t steps = 0, announced = 0;
  const Device d = measure_accelerator(device, {.name = "there",
                                                .by = "a test",
                                                .largest_bytes = 65536,
                                                .effort = 0.001,
                                                .on_progress = [&](std::size_t, std::size_t total) {
                                                  ++steps;
                                                  announced = total;
                                                }});
  EXPECT_EQ(steps, announced);
  EXPECT_EQ(d.cores->value, static_cast<double>(device.facts().units));
  EXPECT_TRUE(d.peak_flops_per_s(0.5));
  EXPECT_GE(d.in_single.peak_all->value, d.in_single.peak_core->value);
  for (const MaybeFigure& figure :
       {d.launch_s, d.synchronisation_s, d.slow_latency_s, d.slow_bytes_per_s,
        d.to_device.latency_s, d.from_device.bytes_per_s}) {
    ASSERT_TRUE(figure);
    EXPECT_GT(figure->value, 0);
  }
  EXPECT_EQ(d.fast_bytes.has_value(), d.fast_latency_s.has_value());
  ASSERT_TRUE(d.to_device.curve && d.from_device.curve);
  EXPECT_EQ(d.to_device.curve->points.front().bytes, 1024);
  EXPECT_EQ(d.to_device.curve->points.back().bytes, 65536);
  EXPECT_EQ(d.idioms.size(), kIdioms.size());
  for (const auto& [idiom, curve] : d.idioms) EXPECT_GE(curve.points.size(), 6u) << idiom;
  const TemporaryFolder folder;
  write_file_atomically(folder.path() / "card.yaml", to_yaml(d));
  EXPECT_EQ(to_yaml(read_device(folder.path() / "card.yaml")), to_yaml(d));
}

void expect_whole_cycle(Accelerator& device) {
  constexpr std::uint64_t kLines = 200, kLine = 64;
  const DeviceMemory memory(device, kLines * kLine);
  EXPECT_EQ(write_cycle(device, memory, kLine, sizeof(double)), kLines);
  std::vector<std::uint64_t> image(memory.bytes() / sizeof(std::uint64_t));
  device.read(memory.buffer(), image.data(), memory.bytes());
  std::set<std::uint64_t> visited;
  std::uint64_t at = 0;
  int neighbours = 0;
  for (std::uint64_t i = 0; i < kLines; ++i) {
    EXPECT_EQ(at % (kLine / sizeof(double)), 0u);
    visited.insert(at);
    neighbours += image.at(at) == at + kLine / sizeof(double) ? 1 : 0;
    at = image.at(at);
  }
  EXPECT_EQ(visited.size(), kLines);
  EXPECT_EQ(at, 0u);
  EXPECT_LT(neighbours, 10) << "a prefetcher could predict the order";
}

}  // namespace apmt::devices::testing
