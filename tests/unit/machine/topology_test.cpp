// Tests of finding caches and NUMA nodes, on a machine that is described to hwloc in XML and on the
// machine that runs the test.
#include "machine/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include "base/input_error.h"
#include "machine/memory_probe.h"

namespace apmt {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string attribute(const char* name, int bits) {
  char text[64];
  std::snprintf(text, sizeof text, " %s=\"0x%08x\"", name, static_cast<unsigned>(bits));
  return text;
}

/// The attributes of an object that contains these processors and NUMA nodes (bit i: number i).
std::string spans(int bits) {
  std::string text;
  for (const char* const name : {"cpuset", "complete_cpuset", "nodeset", "complete_nodeset"})
    text += attribute(name, bits);
  return text;
}

/// Two sockets with two NUMA nodes each. Each node has a processor with four caches; the last node
/// has no memory.
std::string four_nodes(int allowed_nodes) {
  std::string xml = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
<object type="Machine" os_index="0" gp_index="1")" +
                    spans(15) + attribute("allowed_cpuset", 15) +
                    attribute("allowed_nodeset", allowed_nodes) + ">\n";
  int next_id = 2;
  const auto object = [&](const std::string& type, int bits, const std::string& more) {
    xml += "<object type=\"" + type + "\" gp_index=\"" + std::to_string(next_id++) + "\"" +
           spans(bits) + " " + more;
  };
  const char* const kib[] = {"49152", "1048576", "33554432", "67108864"};
  for (int socket = 0; socket < 2; ++socket) {
    object("Package", 3 << (2 * socket), "os_index=\"" + std::to_string(socket) + "\">\n");
    for (int index = 2 * socket; index < 2 * socket + 2; ++index) {
      const std::string number = "os_index=\"" + std::to_string(index) + "\"";
      object("Group", 1 << index, "kind=\"0\" subkind=\"0\">\n");
      object("NUMANode", 1 << index,
             number + (index < 3 ? " local_memory=\"1000000000\"" : "") + "/>\n");
      for (int level = 4; level >= 1; --level)
        object("L" + std::to_string(level) + "Cache", 1 << index,
               std::string("cache_size=\"") + kib[level - 1] + "\" depth=\"" +
                   std::to_string(level) +
                   "\" cache_linesize=\"128\" cache_associativity=\"0\" cache_type=\"" +
                   (level == 1 ? "1" : "0") + "\">\n");
      object("Core", 1 << index, number + ">\n");
      object("PU", 1 << index, number + "/>\n");
      for (int closed = 0; closed < 6; ++closed) xml += "</object>\n";
    }
    xml += "</object>\n";
  }
  return xml + R"(</object>
<distances2 type="NUMANode" nbobjs="4" kind="5" name="NUMALatency" indexing="os">
<indexes length="7">0 1 2 3</indexes>
<u64values length="47">10 12 32 32 12 10 32 32 32 32 10 12 32 32 12 10</u64values>
</distances2>
</topology>
)";
}

TEST(Topology, DataCachesAreTheFirstTwoLevelsAndTheLast) {
  const std::vector<Cache> caches = Topology(four_nodes(15)).caches(2);
  ASSERT_EQ(caches.size(), 3u);
  EXPECT_EQ(caches[0].name, "L1");
  EXPECT_EQ(caches[0].size_bytes, 49152u);
  EXPECT_EQ(caches[1].name, "L2");
  EXPECT_EQ(caches[1].line_bytes, 128u);
  EXPECT_EQ(caches[2].name, "LLC");
  EXPECT_EQ(caches[2].size_bytes, 67108864u);
  EXPECT_THAT(Topology(four_nodes(15)).caches(99), IsEmpty());
}

TEST(Topology, EachDistanceIsOnePlace) {
  const Topology machine(four_nodes(15));
  const auto from_second = machine.remote_places(1);
  ASSERT_EQ(from_second.size(), 2u);
  EXPECT_EQ(from_second[0].distance, 12);
  EXPECT_EQ(from_second[0].place.cpu, 1);
  EXPECT_EQ(from_second[0].place.node, 0);
  EXPECT_EQ(from_second[1].distance, 32);
  EXPECT_EQ(from_second[1].place.node, 2);
  // Node 3 has no memory, so only node 2 itself is near node 2.
  const auto from_second_socket = machine.remote_places(2);
  ASSERT_EQ(from_second_socket.size(), 1u);
  EXPECT_EQ(from_second_socket[0].place.node, 0);
  EXPECT_EQ(machine.node_of(3), 3);
  EXPECT_THAT(machine.remote_places(99), IsEmpty());
}

TEST(Topology, MemoryThatABatchSystemWithholdsIsNotMeasured) {
  const auto places = Topology(four_nodes(5)).remote_places(0);
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].place.node, 2);
}

TEST(Topology, WhatIsNoTopologyIsRefused) { EXPECT_THROW(Topology("<machine/>"), InputError); }

TEST(Topology, MemoryComesFromTheNodeAskedForOrNotAtAll) {
  const int cpu = usable_cpus().front();
  const std::optional<int> here = Topology::here().node_of(cpu);
  if (!here) GTEST_SKIP() << "this machine reports no memory nodes";
  const Patience once{1, 1, 1, 1};
  EXPECT_GT(chase_ns(65536, 64, once, {cpu, here}).value, 0);
  EXPECT_THROW(chase_ns(65536, 64, once, {{}, 63}), InputError);
}

TEST(Topology, AThreadIsMovedAndMovedBack) {
  const std::vector<int> before = usable_cpus();
  {
    const OnCpu stay(before.back());
    EXPECT_THAT(usable_cpus(), ElementsAre(before.back()));
    EXPECT_EQ(::sched_getcpu(), before.back());
  }
  EXPECT_EQ(usable_cpus(), before);
}

TEST(Topology, AProcessorThatDoesNotExistIsNoPlaceForAThread) {
  const std::vector<int> before = usable_cpus();
  EXPECT_FALSE(Topology::here().bind_cpus({1'000'000}));
  EXPECT_EQ(usable_cpus(), before);
}

TEST(Topology, UsableProcessorsAreThoseThatTasksetLeaves) {
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(usable_cpus().size(), static_cast<std::size_t>(CPU_COUNT(&all)));
  const int last = usable_cpus().back();
  CPU_ZERO(&one);
  CPU_SET(last, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_THAT(usable_cpus(), ElementsAre(last));
  ASSERT_EQ(::sched_setaffinity(0, sizeof all, &all), 0);
}

}  // namespace
}  // namespace apmt
