// Tests how processes are grouped into launches: two hundred launches at once, each with the
// identifiers that its launcher provides, if any. Every rank must be in the right run, runs must
// not be mixed, and launches that cannot be told apart must be refused.
#include "campaign/store/launch_identity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace apmt {
namespace {

constexpr std::int64_t kSecond = 1000000000;

/// The identifiers that a launcher gives to its processes.
enum class Says {
  kOpenMpi,         // a name space, and the address on which mpirun listens
  kOpenMpiInBatch,  // the same in a Slurm job; ranks on all but the first node have a Slurm step
  kHydra,           // the address on which mpiexec listens; one parent per node
  kIntel,
  kPals,
  kPmixSlurm,
  kSlurm,
  kFlux,
  kParentOnly,  // no identifier at all, on one host
  kRunId,       // only APMT_RUN_ID, which the user has set; on several hosts
};
constexpr Says kAll[] = {Says::kOpenMpi, Says::kOpenMpiInBatch, Says::kHydra, Says::kIntel,
                         Says::kPals,    Says::kPmixSlurm,      Says::kSlurm, Says::kFlux,
                         Says::kRunId,   Says::kParentOnly};

struct Made {
  std::vector<Process> processes;
  std::vector<int> launch_of;  // for each process the number of its launch
};

/// Adds the processes of a launch. Process ids are the same on all nodes, as in containers, so an
/// id alone identifies nothing.
void add_launch(int number, Says says, int size, int per_node, std::int64_t begin_ns, Made* made) {
  for (int rank = 0; rank < size; ++rank) {
    const int node = says == Says::kParentOnly ? 0 : rank / per_node;
    const std::string n = std::to_string(number);
    Process p;
    p.machine = "node" + std::to_string(node) + " boot ns";
    p.parent = "1:" + std::to_string(100 + number);
    p.own = std::to_string(2 + rank) + ":7";
    p.rank = rank;
    p.size = p.launcher_size = size;
    p.born = true;
    p.begin_ns = begin_ns + rank;
    p.end_ns = begin_ns + 10 * kSecond;
    switch (says) {
      case Says::kOpenMpiInBatch:
        p.ids["SLURM_JOB_ID"] = "77";
        if (node > 0) p.ids["SLURM_STEP_ID"] = "0";
        [[fallthrough]];
      case Says::kOpenMpi:
        p.ids["PMIX_NAMESPACE"] = std::to_string(number % 50);  // name spaces are reused
        p.ids["OMPI_MCA_orte_hnp_uri"] =
            "12.0;tcp://10.0.0.1,10.1.0.1:" + std::to_string(30000 + number) + ";tcp6://[::1]:5";
        break;
      case Says::kHydra:
        p.ids["hydra"] = "login:" + std::to_string(30000 + number) + "/0";
        break;
      case Says::kIntel:
        p.ids["hydra"] = "login:" + std::to_string(30000 + number) + "/0";
        p.ids["SLURM_JOB_ID"] = "77";
        p.ids["SLURM_STEP_ID"] = "3";  // the step that starts one Hydra proxy per node
        p.ids["SLURM_STEP_NUM_TASKS"] = "2";
        break;
      case Says::kPals:
        p.parent = "1:1";  // one daemon starts all ranks
        p.ids["PALS_APID"] = "apid-" + n;
        p.ids["PBS_JOBID"] = "55.pbs";
        break;
      case Says::kPmixSlurm:
        p.ids["PMIX_NAMESPACE"] = "slurm.pmix.77." + n;
        [[fallthrough]];
      case Says::kSlurm:
        p.ids["SLURM_JOB_ID"] = "77";
        p.ids["SLURM_STEP_ID"] = n;
        p.ids["SLURM_STEP_NUM_TASKS"] = std::to_string(size);
        p.ids["SLURM_PROCID"] = std::to_string(rank);
        break;
      case Says::kFlux:
        p.ids["FLUX_JOB_ID"] = "f" + n;
        break;
      case Says::kRunId:
        p.ids["APMT_RUN_ID"] = "mine-" + n;
        break;
      case Says::kParentOnly:
        break;
    }
    made->processes.push_back(p);
    made->launch_of.push_back(number);
  }
}

void shuffle(Made* made, std::mt19937* random) {
  for (std::size_t i = made->processes.size(); i > 1; --i) {
    const std::size_t j = (*random)() % i;
    std::swap(made->processes[i - 1], made->processes[j]);
    std::swap(made->launch_of[i - 1], made->launch_of[j]);
  }
}

std::multiset<std::multiset<int>> by_launch(const Made& made) {
  std::multiset<std::multiset<int>> out;
  for (const Launch& launch : group_launches(made.processes)) {
    std::multiset<int> of;
    for (const std::size_t i : launch.members) of.insert(made.launch_of[i]);
    out.insert(of);
  }
  return out;
}

TEST(Processes, LastFromTheTimeOfDayAsLongAsTheClockSinceTheStartOfTheMachineSays) {
  RecordingHead head;
  head.header.start_realtime_ns = 1'700'000'000'000'000'000;
  head.header.start_ns = 5'000'000'000;
  head.header.end_ns = 8'000'000'000;
  const Process process = process_of(head);
  EXPECT_EQ(process.begin_ns, head.header.start_realtime_ns);
  EXPECT_EQ(process.end_ns - process.begin_ns, 3'000'000'000);
}

TEST(Launches, TwoHundredAtOnceAreKeptApart) {
  std::mt19937 random(20261122);
  Made made;
  std::multiset<std::multiset<int>> truth;
  for (int n = 0; n < 200; ++n) {
    const int size = 1 + static_cast<int>(random() % 17);
    add_launch(n, kAll[n % 10], size, 1 + n % 5, (n % 3) * kSecond, &made);
    std::multiset<int> one;
    for (int rank = 0; rank < size; ++rank) one.insert(n);
    truth.insert(one);
  }
  shuffle(&made, &random);
  EXPECT_EQ(by_launch(made), truth);
  for (const Launch& launch : group_launches(made.processes)) {
    EXPECT_FALSE(launch.is_ambiguous);
    for (std::size_t i = 0; i < launch.members.size(); ++i)
      EXPECT_EQ(made.processes[launch.members[i]].rank, static_cast<int>(i));
  }
}

/// Launches of the same size by the same kind of launcher differ only in their identifiers.
TEST(Launches, LikeOnesAreToldApartByWhateverTheirLauncherSays) {
  for (const Says says : kAll) {
    std::mt19937 random(7);
    Made made;
    for (int n = 0; n < 20; ++n) add_launch(n, says, 6, 2, 0, &made);
    shuffle(&made, &random);
    const auto groups = group_launches(made.processes);
    EXPECT_EQ(groups.size(), 20u) << static_cast<int>(says);
    for (const Launch& launch : groups) {
      EXPECT_FALSE(launch.is_ambiguous);
      EXPECT_EQ(launch.members.size(), 6u);
      for (const std::size_t i : launch.members)
        EXPECT_EQ(made.launch_of[i], made.launch_of[launch.members.front()]);
    }
  }
}

/// A launcher without identifiers, on two nodes: the ranks have a different parent on each node.
Made nameless(std::initializer_list<std::pair<int, std::int64_t>> size_and_begin) {
  Made made;
  int number = 0;
  for (const auto& [size, begin_ns] : size_and_begin)
    add_launch(number++, Says::kRunId, size, (size + 1) / 2, begin_ns, &made);
  for (Process& p : made.processes) p.ids.clear();
  return made;
}

TEST(Launches, WithoutANameTheyAreFoundBySizeRanksAndTime) {
  EXPECT_EQ(by_launch(nameless({{4, 0}})), (std::multiset<std::multiset<int>>{{0, 0, 0, 0}}));
  EXPECT_EQ(by_launch(nameless({{4, 0}, {3, 0}, {4, 20 * kSecond}})),
            (std::multiset<std::multiset<int>>{{0, 0, 0, 0}, {1, 1, 1}, {2, 2, 2, 2}}));
}

TEST(Launches, WhatCannotBeToldApartIsRefused) {
  const Made made = nameless({{4, 0}, {4, kSecond}, {6, 0}});
  int refused = 0;
  for (const Launch& launch : group_launches(made.processes)) {
    EXPECT_EQ(launch.is_ambiguous, made.processes[launch.members.front()].size == 4);
    refused += launch.is_ambiguous;
  }
  EXPECT_EQ(refused, 1);
  // All processes have the same parent, as with some daemons, and both launches run at the same
  // time on one host.
  Made daemon;
  add_launch(0, Says::kParentOnly, 3, 3, 0, &daemon);
  add_launch(1, Says::kParentOnly, 3, 3, 0, &daemon);
  for (Process& p : daemon.processes) p.parent = "9:9";
  for (const Launch& launch : group_launches(daemon.processes)) EXPECT_TRUE(launch.is_ambiguous);
}

TEST(Launches, ANameMayComeAgain) {
  for (const int second_size : {4, 6}) {
    Made made;
    add_launch(0, Says::kRunId, 4, 2, 0, &made);
    add_launch(1, Says::kRunId, second_size, 2, 20 * kSecond, &made);
    for (Process& p : made.processes) p.ids["APMT_RUN_ID"] = "again";
    EXPECT_EQ(group_launches(made.processes).size(), 2u);
    for (Process& p : made.processes) p.ids["PALS_APID"] = "again";
    EXPECT_EQ(group_launches(made.processes).size(), 2u);
    for (const Launch& launch : group_launches(made.processes)) {
      EXPECT_FALSE(launch.is_ambiguous);
      for (const std::size_t i : launch.members)
        EXPECT_EQ(made.launch_of[i], made.launch_of[launch.members.front()]);
    }
  }
}

TEST(Launches, RanksOfOneNameAtTheSameTimeAreRefused) {
  Made made;
  add_launch(0, Says::kPals, 4, 2, 0, &made);
  add_launch(1, Says::kPals, 4, 2, kSecond, &made);
  for (Process& p : made.processes) p.ids["PALS_APID"] = "same";
  ASSERT_EQ(group_launches(made.processes).size(), 1u);
  EXPECT_TRUE(group_launches(made.processes).front().is_ambiguous);
}

TEST(Launches, WhoIsAloneIsARunWhoeverElseIs) {
  Made made;
  for (int n = 0; n < 5; ++n) add_launch(n, Says::kParentOnly, 1, 1, 0, &made);
  for (Process& p : made.processes) p.parent = "9:9";  // one shell starts all of them
  EXPECT_EQ(group_launches(made.processes).size(), 5u);
  // A launch of two processes, each of which is alone in its MPI_COMM_WORLD, is one launch, so that
  // merging can report that the launcher belongs to another MPI.
  Made wrong;
  add_launch(0, Says::kOpenMpi, 2, 2, 0, &wrong);
  for (Process& p : wrong.processes) {
    p.size = 1;
    p.rank = 0;
  }
  ASSERT_EQ(group_launches(wrong.processes).size(), 1u);
  EXPECT_FALSE(group_launches(wrong.processes).front().is_ambiguous);
}

TEST(Launches, WhoWasKilledInsideInitIsWithTheOthers) {
  for (const Says says : {Says::kHydra, Says::kParentOnly, Says::kSlurm}) {
    Made made;
    add_launch(0, says, 4, 4, 0, &made);
    add_launch(1, says, 4, 4, 20 * kSecond, &made);
    made.processes[2].born = false;  // MPI_Init has not returned: the launcher gave rank and size
    made.processes[2].end_ns = made.processes[2].begin_ns;
    made.processes[7].born = false;
    made.processes[7].size = 0;  // here not even the size is known
    const auto groups = group_launches(made.processes);
    ASSERT_EQ(groups.size(), 2u) << static_cast<int>(says);
    for (const Launch& launch : groups) EXPECT_EQ(launch.members.size(), 4u);
  }
}

TEST(Launches, SpawnedProcessesAreWithTheirParents) {
  Made made;
  add_launch(0, Says::kHydra, 2, 2, 0, &made);
  add_launch(1, Says::kHydra, 2, 2, 0, &made);
  add_launch(2, Says::kHydra, 3, 3, kSecond, &made);
  for (std::size_t i = 4; i < 7; ++i) {
    made.processes[i].spawned = true;
    made.processes[i].ids["hydra"] = "login:30001/1";  // as in the second launch
  }
  EXPECT_EQ(by_launch(made), (std::multiset<std::multiset<int>>{{0, 0}, {1, 1, 2, 2, 2}}));
}

/// All ranks of a simulation are in one process, on simulated hosts.
TEST(Launches, RanksOfASimulationAreOneLaunch) {
  std::vector<Process> processes;
  for (const char* own : {"5:77", "6:78"})
    for (int rank = 0; rank < 3; ++rank) {
      RecordingHead head;
      head.header.world_rank = rank;
      head.header.world_size = 3;
      head.text["virtual"] = {"SimGrid SMPI"};
      head.text["host"] = {"node-" + std::to_string(rank)};
      head.text["boot_id"] = {"b"};
      head.text["process"] = {own};
      head.text["parent"] = {"4:4"};
      processes.push_back(process_of(head));
    }
  const auto groups = group_launches(processes);
  ASSERT_EQ(groups.size(), 2u);
  for (const Launch& launch : groups) EXPECT_EQ(launch.members.size(), 3u);
}

/// Before format version 3.2 each launch had its own folder.
TEST(Launches, OlderRecordingsAreToldByTheirFolder) {
  Made made;
  add_launch(0, Says::kParentOnly, 3, 3, 0, &made);
  add_launch(1, Says::kParentOnly, 3, 3, 0, &made);
  for (std::size_t i = 0; i < made.processes.size(); ++i) {
    made.processes[i].parent.clear();
    made.processes[i].folder = "running-" + std::to_string(made.launch_of[i]) + "-app";
  }
  EXPECT_EQ(by_launch(made), (std::multiset<std::multiset<int>>{{0, 0, 0}, {1, 1, 1}}));
}

}  // namespace
}  // namespace apmt
