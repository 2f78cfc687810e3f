// Tests of the calls to CUDA, with a stand-in driver that executes nothing (stand_in_cuda.h).
#include "devices/calibrate/cuda.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "devices/calibrate/accelerator_probe.h"
#include "devices/calibrate/idiom_launches.h"
#include "tests/paths.h"
#include "tests/unit/devices/stand_in_cuda.h"

namespace apmt::devices {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Cuda : public ::testing::Test {
 protected:
  void SetUp() override {
    void* library = ::dlopen(kStandIn.c_str(), RTLD_NOW);
    ASSERT_NE(library, nullptr) << ::dlerror();
    const auto get =
        reinterpret_cast<testing::StandInRecord* (*)()>(::dlsym(library, "stand_in_record"));
    record_ = get();
    *record_ = {};
  }
  void TearDown() override {
    EXPECT_THAT(record_->violations, IsEmpty());
    EXPECT_EQ(record_->modules, 0);
    EXPECT_EQ(record_->sources, 0);
    EXPECT_EQ(record_->contexts, 0);
    EXPECT_TRUE(record_->memory.empty());
  }
  static std::unique_ptr<Accelerator> open(std::size_t index = 0) {
    return open_cuda(index, {{kStandIn}, {kStandIn}});
  }
  static std::string error_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const InputError& error) {
      return std::string(error.what()) + " | " + error.hint();
    }
    return "no error";
  }

  inline static const std::string kStandIn =
      build_dir() + "/tests/unit/devices/libapmt_stand_in_cuda.so";
  testing::StandInRecord* record_ = nullptr;
};

TEST_F(Cuda, TheDriverDescribesTheDevice) {
  const auto device = open(1);
  const AcceleratorFacts& facts = device->facts();
  EXPECT_EQ(facts.name, "Second GPU");
  EXPECT_EQ(facts.driver, "CUDA driver interface 12.4");
  EXPECT_EQ(facts.kind, "gpu");
  EXPECT_EQ(facts.units, 10u);
  EXPECT_EQ(facts.frequency_hz, 1'500'000'000u);
  EXPECT_EQ(facts.memory_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(facts.free_bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(facts.cache_bytes, 1u << 20);
  EXPECT_EQ(facts.local_bytes, 100'000u);
}

TEST_F(Cuda, MeasuresAWholeCardWithoutBreakingARule) {
  {
    const auto device = open();
    const Device card = measure_accelerator(
        *device, {.name = "made up", .by = "a test", .largest_bytes = 1 << 20, .effort = 0.001});
    EXPECT_EQ(card.kind, "gpu");
    EXPECT_EQ(card.fast_bytes->value, (1 << 20) + 10 * 100'000);
    EXPECT_EQ(card.idioms.size(), kIdioms.size());
    EXPECT_TRUE(card.in_double.peak_all && card.in_single.peak_all && card.launch_s &&
                card.synchronisation_s && card.fast_latency_s && card.slow_bytes_per_s &&
                card.to_device.curve && card.from_device.curve);
    EXPECT_EQ(card.units->value, std::round(card.in_single.peak_all->value / 2 / 1.5e9));
    EXPECT_FALSE(card.in_double.scalar_all) << "not measured on a GPU";
  }
  for (const char* kernel :
       {"fused", "halves", "idle", "chase", "clear", "fill_index", "stream", "stencil", "gather",
        "scatter", "transpose", "reduction", "matrix_vector", "matrix_matrix"})
    EXPECT_GT(record_->calls[kernel], 0) << kernel;
  // The barrier between work-groups is measured at full occupancy: eight groups of 256 items on
  // each of the ten multiprocessors.
  EXPECT_EQ(record_->widest["idle"].grid_x, 8u * 10);
  EXPECT_EQ(record_->widest["idle"].block_x, 256u);
  EXPECT_GT(record_->copied_to, 1u << 20);
  EXPECT_GT(record_->copied_from, 1u << 20);
  EXPECT_EQ(record_->options, "--gpu-architecture=compute_90");
}

TEST_F(Cuda, ALaunchPassesItsArguments) {
  const auto device = open();
  DeviceMemory memory(*device, 1 << 20);
  const std::uint64_t address = record_->memory.begin()->first;
  IdiomLaunches idioms(*device, memory, true);
  idioms.prepare(pass_of("stream", 1 << 20, idioms.workers()));
  record_->calls.clear();
  idioms.seconds(7);
  const testing::StandInLaunch& launch = record_->last_launch;
  EXPECT_EQ(record_->calls["cuLaunchKernel"], 7);
  EXPECT_EQ(launch.kernel, "stream");
  EXPECT_THAT(launch.addresses, ElementsAre(address));
  EXPECT_THAT(launch.numbers, ElementsAre(65534, 65534));  // where b begins, and n
  EXPECT_EQ(launch.block_x, 256u);
  EXPECT_EQ(launch.grid_x, 256u);
  EXPECT_EQ(launch.grid_y, 1u);
  idioms.prepare(pass_of("transpose", 1 << 20, idioms.workers()));
  idioms.seconds(1);
  EXPECT_EQ(launch.grid_y, 256u);
}

TEST_F(Cuda, ErrorsSayWhatFailed) {
  EXPECT_THAT(error_of([] {
                open_cuda(0, {{"/nonexistent/libcuda.so.1"}, {kStandIn}});
              }),
              HasSubstr("install the driver"));
  EXPECT_THAT(error_of([] {
                open_cuda(0, {{kStandIn}, {"/nonexistent/libnvrtc.so"}});
              }),
              HasSubstr("install NVRTC"));
  EXPECT_THAT(error_of([] { open(2); }), HasSubstr("no CUDA device 2 | the last one is 1"));
  record_->failing_call = "cuCtxSetCurrent";
  EXPECT_THAT(error_of([] { open(); }), HasSubstr("cuCtxSetCurrent failed: out of memory"));
  record_->failing_call = "";
  const auto device = open();
  EXPECT_THAT(error_of([&] { device->launch(device->compile({}), {.kernel = "missing"}, 1); }),
              HasSubstr("cuModuleGetFunction of missing failed: named symbol not found"));
  record_->failing_call = "cuMemAlloc";
  EXPECT_THAT(error_of([&] { device->allocate(100); }),
              HasSubstr("cuMemAlloc of 100 bytes failed: out of memory"));
  record_->failing_call = "nvrtcCompileProgram";
  EXPECT_THAT(error_of([&] { device->compile({}); }),
              HasSubstr("cannot be compiled for compute_90 | apmt.cu(3): error: no such type"));
}

}  // namespace
}  // namespace apmt::devices
