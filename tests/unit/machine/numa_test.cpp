// Nodes of memory: read from files as the kernel writes them, and bound on the machine at hand.
#include "machine/numa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <fstream>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "machine/memory_probe.h"

namespace apmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// Two sockets of two nodes each; the last node has processors and no memory.
class FourNodes : public ::testing::Test {
 protected:
  FourNodes() {
    write("online", "0-3");
    write("has_memory", "0-2");
    const char* const cpus[] = {"0-3", "4-7", "8-11", "12-15"};
    const char* const distances[] = {"10 12 32 32", "12 10 32 32", "32 32 10 12", "32 32 12 10"};
    for (int i = 0; i < 4; ++i) {
      write("node" + std::to_string(i) + "/cpulist", cpus[i]);
      write("node" + std::to_string(i) + "/distance", distances[i]);
    }
  }
  void write(const std::string& name, const std::string& text) const {
    const fs::path file = folder_.path() / "sys/devices/system/node" / name;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  const TemporaryFolder folder_;
};

TEST_F(FourNodes, AreRead) {
  const std::vector<NumaNode> nodes = read_numa_nodes(folder_.path());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_THAT(nodes[2].cpus, ElementsAre(8, 9, 10, 11));
  EXPECT_TRUE(nodes[2].has_memory);
  EXPECT_FALSE(nodes[3].has_memory);
  EXPECT_EQ(nodes[0].distances.at(1), 12);
  EXPECT_EQ(nodes[3].distances.at(0), 32);
}

TEST_F(FourNodes, EachDistanceIsMeasuredOnceFromTheFirstUsableProcessor) {
  const std::vector<NumaNode> nodes = read_numa_nodes(folder_.path());
  const auto from_first = remote_places(nodes, {1, 2});
  ASSERT_EQ(from_first.size(), 2U);
  EXPECT_EQ(from_first[0].distance, 12);
  EXPECT_EQ(from_first[0].place.cpu, 1);
  EXPECT_EQ(from_first[0].place.node, 1);
  EXPECT_EQ(from_first[1].distance, 32);
  EXPECT_EQ(from_first[1].place.node, 2);
  // Node 3 has no memory, so nothing is near to node 2 but itself.
  const auto from_second_socket = remote_places(nodes, {8});
  ASSERT_EQ(from_second_socket.size(), 1U);
  EXPECT_EQ(from_second_socket[0].place.node, 0);
  EXPECT_THAT(remote_places(nodes, {}), IsEmpty());
  EXPECT_THAT(remote_places({}, {0}), IsEmpty());
}

TEST_F(FourNodes, MemoryThatABatchSystemWithholdsIsNotMeasured) {
  fs::create_directories(folder_.path() / "proc/self");
  std::ofstream(folder_.path() / "proc/self/status") << "Name:\tx\nMems_allowed_list:\t0,2\n";
  const auto places = remote_places(read_numa_nodes(folder_.path()), {0});
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].place.node, 2);
}

TEST(Numa, MemoryComesFromTheNodeAskedForOrNotAtAll) {
  const std::vector<NumaNode> here = read_numa_nodes();
  if (here.empty()) GTEST_SKIP() << "this kernel has no nodes of memory";
  const Patience once{1, 1, 1, 1};
  EXPECT_GT(chase_ns(65536, 64, once, {usable_cpus().front(), here.front().id}).value, 0);
  EXPECT_THROW(chase_ns(65536, 64, once, {{}, 63}), InputError);
}

TEST(Numa, AThreadIsMovedAndMovedBack) {
  const std::vector<int> before = usable_cpus();
  {
    const OnCpu stay(before.back());
    EXPECT_THAT(usable_cpus(), ElementsAre(before.back()));
    EXPECT_EQ(::sched_getcpu(), before.back());
  }
  EXPECT_EQ(usable_cpus(), before);
}

}  // namespace
}  // namespace apmt
