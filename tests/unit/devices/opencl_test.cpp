// Tests of measuring an OpenCL device, on whichever device is installed (PoCL executes kernels on
// the processors). They are skipped if there is none.
#include "devices/calibrate/opencl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "tests/unit/devices/same_results.h"

namespace apmt::devices {
namespace {

class OpenCl : public ::testing::Test {
 protected:
  void SetUp() override {
    // PoCL reads this variable once, when it is first used.
    static const TemporaryFolder cache;
    ::setenv("POCL_CACHE_DIR", cache.path().c_str(), 1);
    try {
      device_ = open_opencl(0);
    } catch (const InputError& error) {
      GTEST_SKIP() << error.what() << "; " << error.hint();
    }
  }

  std::unique_ptr<Accelerator> device_;
};

TEST_F(OpenCl, TheDriverDescribesTheDevice) {
  const AcceleratorFacts& facts = device_->facts();
  EXPECT_FALSE(facts.name.empty());
  EXPECT_THAT(facts.kind, ::testing::AnyOf("cpu", "gpu", "accelerator"));
  EXPECT_GE(facts.units, 1u);
  EXPECT_GE(facts.most_items, 1u);
  EXPECT_GT(facts.memory_bytes, 0u);
  EXPECT_LE(facts.largest_buffer_bytes, facts.memory_bytes);
}

TEST_F(OpenCl, IdiomsComputeWhatThreadsCompute) {
  if (!device_->facts().has_double) GTEST_SKIP() << "the device has no double precision";
  testing::expect_results_of_threads(*device_);
}

TEST_F(OpenCl, TheCardHoldsTogetherAndIsReadAgain) { testing::expect_measured_card(*device_); }

TEST_F(OpenCl, AChaseVisitsEachLineOnce) { testing::expect_whole_cycle(*device_); }

TEST_F(OpenCl, ErrorsNameTheCall) {
  try {
    device_->launch(device_->compile({}), {.kernel = "missing"}, 1);
    FAIL() << "a kernel that does not exist was launched";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("clCreateKernel of missing"));
  }
}

TEST_F(OpenCl, AnotherNumberIsRefusedWithTheDevicesThatExist) {
  try {
    open_opencl(999);
    FAIL() << "device 999 was opened";
  } catch (const InputError& error) {
    EXPECT_THAT(error.hint(), ::testing::HasSubstr("0: " + device_->facts().name));
  }
}

}  // namespace
}  // namespace apmt::devices
