// Tests of measuring accelerators, with this process in place of a device, and of the description
// of idioms that all devices share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "devices/calibrate/accelerator_probe.h"
#include "devices/calibrate/device_choice.h"
#include "devices/calibrate/idioms.h"
#include "tests/unit/devices/host_accelerator.h"
#include "tests/unit/devices/same_results.h"

namespace apmt::devices {
namespace {

TEST(DeviceChoices, NameAnInterfaceAndANumber) {
  EXPECT_EQ(device_choice("cpu").interface, DeviceInterface::kCpu);
  EXPECT_EQ(device_choice("opencl").interface, DeviceInterface::kOpenCl);
  EXPECT_EQ(device_choice("opencl").index, 0u);
  EXPECT_EQ(device_choice("cuda:12").interface, DeviceInterface::kCuda);
  EXPECT_EQ(device_choice("cuda:12").index, 12u);
  for (const char* wrong : {"", "gpu", "cpu:0", "opencl:", "opencl:-1", "cuda:1x", "cuda:99999"})
    EXPECT_THROW(device_choice(wrong), InputError) << wrong;
}

TEST(IdiomPasses, StateTheDataAndTheAccesses) {
  EXPECT_EQ(pass_of("stream", 1024, 2).n, 62u);
  EXPECT_EQ(pass_of("stream", 1024, 2).referenced_bytes, 3 * 62 * 8);
  EXPECT_EQ(pass_of("stream", 1024, 2, 4).n, 126u);  // floats
  EXPECT_EQ(pass_of("gather", 1024, 2).n, 42u);
  EXPECT_EQ(pass_of("matrix-vector product", 16 * 8 + 8 * 8, 2).footprint_bytes, (9 + 6) * 8);
  // A pass computes all rows of a small product, but only one row per worker of a large product.
  EXPECT_EQ(pass_of("matrix-matrix product", 3 * 16 * 8, 2).referenced_bytes, 4 * (48 + 4) * 8);
  const IdiomPass large = pass_of("matrix-matrix product", std::uint64_t{24} * 10'000 * 10'000, 3);
  EXPECT_EQ(large.rows, 1u);
  EXPECT_EQ(large.referenced_bytes, 3 * (3e8 + 10'000) * 8);
}

/// Records its passes. A pass takes a microsecond per kilobyte.
class RecordingRunner : public IdiomRunner {
 public:
  std::uint64_t workers() const override { return 2; }
  void prepare(const IdiomPass& pass) override { pass_ = pass; }
  double seconds(std::uint64_t passes) override {
    most_passes = std::max(most_passes, passes);
    return pass_.referenced_bytes * 1e-9;
  }
  std::uint64_t most_passes = 0;

 private:
  IdiomPass pass_;
};

TEST(IdiomBandwidths, AreOneCurveForEachIdiom) {
  RecordingRunner runner;
  int steps = 0;
  const auto curves =
      measure_idioms(runner, {.largest_bytes = 1 << 20, .most_passes = 50, .origin = {"x", "y"}},
                     [&] { ++steps; });
  EXPECT_EQ(steps, static_cast<int>(kIdioms.size()));
  EXPECT_EQ(runner.most_passes, 50u);
  ASSERT_EQ(curves.size(), kIdioms.size());
  for (const auto& [idiom, curve] : curves) {
    EXPECT_EQ(curve.points.size(), 11u) << idiom;  // 1 KB, 2 KB ... 1 MB
    EXPECT_EQ(curve.origin.from, "x");
    double before = 0;
    for (const Curve::Point& point : curve.points) {
      EXPECT_GT(point.bytes, before);
      EXPECT_NEAR(point.bytes_per_s, 1e9, 1);
      before = point.bytes;
    }
  }
}

TEST(IdiomLaunchesHere, ComputeWhatThreadsCompute) {
  testing::expect_results_of_threads(*testing::host_accelerator());
}

TEST(AcceleratorCard, HoldsTogetherAndIsReadAgain) {
  testing::expect_measured_card(*testing::host_accelerator());
  testing::expect_measured_card(*testing::host_accelerator("gpu"));
}

TEST(AcceleratorCard, RefusesMoreMemoryThanABufferMayHave) {
  const auto device = testing::host_accelerator();
  EXPECT_THROW(measure_accelerator(*device, {.largest_bytes = std::uint64_t{1} << 30}), InputError);
}

TEST(PointerChases, VisitEachLineOnce) {
  testing::expect_whole_cycle(*testing::host_accelerator());
}

}  // namespace
}  // namespace apmt::devices
