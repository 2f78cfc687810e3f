// Tests of the data that kernels on the device share with kernels on the host.
#include "devices/offload/shared_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/input_error.h"
#include "tests/unit/devices/made.h"

namespace apmt::devices {
namespace {

using testing::figure;
using ::testing::HasSubstr;
using testing::made_device;

/// Ten calls, each of which loads 1,280 bytes and stores 640 bytes.
Workload made_workload() {
  Workload w;
  w.name = "work";
  w.invocations = 10;
  w.loaded_bytes = 12'800;
  w.stored_bytes = 6'400;
  return w;
}

TEST(SharedData, EachCallMovesWhatItLoadsAndStores) {
  const SharedData data = shared_data(made_workload(), made_device(), 3);
  EXPECT_NEAR(data.written_there_s, 3 * 10 * 640 / 320.0, 1e-9);
  EXPECT_NEAR(data.read_there_s, 3 * 10 * 1280 / 640.0, 1e-9);
  EXPECT_NEAR(data.written_here_s, 3 * 10 * 640 / 640.0, 1e-9);
  EXPECT_NEAR(data.read_here_s, 3 * 10 * 1280 / 320.0, 1e-9);
}

TEST(SharedData, ACallMovesNoMoreThanItTouches) {
  Workload w = made_workload();
  w.most_call_bytes = 800;
  const SharedData data = shared_data(w, made_device(), 1);
  EXPECT_NEAR(data.written_there_s, 10 * 640 / 320.0, 1e-9);
  EXPECT_NEAR(data.read_there_s, 10 * 800 / 640.0, 1e-9);
  w.stored_bytes = 0;
  EXPECT_EQ(shared_data(w, made_device(), 1).written_there_s, 0) << "what it only reads stays";
}

TEST(SharedData, ACardWithoutTheLinkIsRefused) {
  Device device = made_device();
  device.from_device = {};
  try {
    shared_data(made_workload(), device, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("no time for transfers of 640 bytes, which work may share"));
  }
}

TEST(SharedData, OnlyWhatOneSideWritesAndTheOtherReadsMoves) {
  const SharedData writes{.written_there_s = 5, .written_here_s = 5};
  const SharedData reads{.read_there_s = 3, .read_here_s = 4};
  EXPECT_EQ(most_shared_s({writes, reads}, {true, false}), 4);
  EXPECT_EQ(most_shared_s({writes, reads}, {false, true}), 3);
  EXPECT_EQ(most_shared_s({writes, writes}, {true, false}), 0);
  EXPECT_EQ(most_shared_s({writes, reads}, {true, true}), 0);
  EXPECT_EQ(most_shared_s({writes, reads}, {false, false}), 0);
}

/// Compared with all choices, one after the other.
TEST(SharedData, TheBestChoiceIsFound) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + static_cast<std::size_t>(round) % 6;
    std::vector<SharedData> data;
    std::vector<std::optional<double>> savings_s;
    for (std::size_t i = 0; i < n; ++i) {
      data.push_back({uniform(random), uniform(random), uniform(random), uniform(random)});
      savings_s.push_back(4 * uniform(random) - 2);
      if (i > 0 && uniform(random) < 0.2) savings_s.back().reset();
    }
    double best = -INFINITY;
    for (unsigned set = 1; set < 1u << n; ++set) {
      std::vector<bool> is_ported(n);
      double saved_s = 0;
      for (std::size_t i = 0; i < n; ++i) {
        is_ported[i] = (set >> i & 1u) != 0;
        if (is_ported[i]) saved_s += savings_s[i].value_or(-INFINITY);
      }
      best = std::max(best, saved_s - most_shared_s(data, is_ported));
    }
    EXPECT_NEAR(best_choice(savings_s, data).saved_s, best, 1e-12);
  }
}

}  // namespace
}  // namespace apmt::devices
