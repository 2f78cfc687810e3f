// Tests of every counter map in configs/counters: libpfm4 must know the names of the events, and
// each group of events must fit into the processor's counters.
#include "machine/counter_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "machine/cpu_identity.h"
#include "machine/event_catalog.h"
#include "profiler/sampler/event_sets.h"
#include "tests/paths.h"

namespace apmt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const std::filesystem::path kConfigs = source_dir() + "/configs";

/// Makes libpfm4 behave as if it ran on another processor.
class ForcedPmu {
 public:
  explicit ForcedPmu(const std::string& pmu) { setenv("LIBPFM_FORCE_PMU", pmu.c_str(), 1); }
  ~ForcedPmu() { unsetenv("LIBPFM_FORCE_PMU"); }
};

std::vector<std::string> map_names() {
  std::vector<std::string> names;
  for (const CounterMap& map : read_counter_maps(kConfigs)) names.push_back(map.name);
  return names;
}

class CounterMapFile : public ::testing::TestWithParam<std::string> {
 protected:
  const CounterMap map_ = read_counter_map(kConfigs / "counters" / (GetParam() + ".yaml"));
};

std::set<std::string> all_events(const CounterMap& map) {
  std::set<std::string> events;
  for (const auto& [metric, recipes] : map.metrics)
    for (const Recipe& recipe : recipes)
      for (const std::string& event : recipe.events()) events.insert(event);
  return events;
}

TEST_P(CounterMapFile, NamesResolveAndGroupsFit) {
  bool checked = false;
  for (const std::string& name : map_.pmus) {
    const ForcedPmu forced(name);
    const EventCatalog catalog;
    const auto pmu = catalog.find(name);
    if (!pmu) {
      std::printf("not checked: this libpfm4 does not know %s\n", name.c_str());
      continue;
    }
    ASSERT_TRUE(pmu->is_present) << "LIBPFM_FORCE_PMU=" << name << " had no effect";
    checked = true;
    for (const std::string& event : all_events(map_))
      EXPECT_EQ(catalog.problem_with(name, event).value_or(""), "") << name << "::" << event;
    EXPECT_LE(map_.counters, pmu->counters) << name;
    EXPECT_LE(static_cast<int>(map_.fixed.size()), pmu->fixed) << name;
    // The right map is chosen for this processor.
    const ChosenMap chosen = choose_counter_map(read_counter_maps(kConfigs), {}, catalog);
    EXPECT_EQ(chosen.map.name, map_.name);
    EXPECT_EQ(chosen.pmu, name);
  }
  // The kernel's watchdog, where it runs, occupies one counter, so groups must leave one free.
  for (const auto& group : map_.groups)
    EXPECT_LT(map_.counters_of(group), map_.counters) << "no counter left for the watchdog";
  if (!checked) {
    for (const std::string& event : all_events(map_))
      std::printf("not checked: %s\n", event.c_str());
    const bool may_be_unknown = map_.pmus.empty() || map_.name.rfind("arm-", 0) == 0 ||
                                map_.name.rfind("ibm-", 0) == 0 || map_.name == "amd-zen5" ||
                                map_.name == "intel-graniterapids";
    EXPECT_TRUE(may_be_unknown) << "no PMU of this map is known to libpfm4";
    GTEST_SKIP() << "this build of libpfm4 knows none of its PMUs: names above are not checked";
  }
}

/// If the name of one event is too long, the recorder refuses the whole list of events and counts
/// only cycles and instructions.
TEST_P(CounterMapFile, NamesFitTheRecorder) {
  std::set<std::string> names;
  for (const std::string& pmu : map_.pmus)
    for (const std::string& event : all_events(map_)) names.insert(pmu + "::" + event);
  for (const std::string& name : names) EXPECT_LT(name.size(), sampler::kMaxEventName) << name;
  EXPECT_LE(all_events(map_).size(), sampler::kMaxWantedEvents);
}

/// If wrong names were not refused, the test NamesResolveAndGroupsFit would prove nothing.
TEST(EventCatalog, RefusesWhatIsNoEvent) {
  const ForcedPmu forced("skx");
  const EventCatalog catalog;
  EXPECT_FALSE(catalog.problem_with("skx", "MEM_LOAD_RETIRED:L1_HIT"));
  EXPECT_TRUE(catalog.problem_with("skx", "MEM_LOAD_RETIRED:L9_HIT"));
  EXPECT_TRUE(catalog.problem_with("skx", "RESOURCE_STALLS:LB"));  // an event of Sandy Bridge
  EXPECT_TRUE(catalog.problem_with("no_such_pmu", "MEM_LOAD_RETIRED:L1_HIT"));
}

INSTANTIATE_TEST_SUITE_P(All, CounterMapFile, ::testing::ValuesIn(map_names()), [](const auto& p) {
  std::string name = p.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(CounterMaps, CoverTheProcessorsTheyAreFor) {
  EXPECT_EQ(map_names(), (std::vector<std::string>{"amd-zen1",
                                                   "amd-zen2",
                                                   "amd-zen3",
                                                   "amd-zen4",
                                                   "amd-zen5",
                                                   "arm-a64fx",
                                                   "arm-neoverse-n1",
                                                   "arm-neoverse-v1",
                                                   "arm-neoverse-v2",
                                                   "ibm-power10",
                                                   "ibm-power9",
                                                   "intel-broadwell",
                                                   "intel-graniterapids",
                                                   "intel-haswell",
                                                   "intel-icelake",
                                                   "intel-ivybridge",
                                                   "intel-sandybridge",
                                                   "intel-sapphirerapids",
                                                   "intel-skylake",
                                                   "papi"}));
  std::set<std::string> cpus;
  for (const CounterMap& map : read_counter_maps(kConfigs))
    for (const std::string& cpu : map.cpus)
      EXPECT_TRUE(cpus.insert(cpu).second) << cpu << " is in two maps";
}

TEST(CounterMaps, AProcessorThatLibpfmDoesNotKnowIsFoundByItsNumber) {
  const ForcedPmu nothing("none");
  const EventCatalog catalog;
  CpuIdentity cpu;
  cpu.key = "AuthenticAMD 26 2";
  const ChosenMap zen5 = choose_counter_map(read_counter_maps(kConfigs), cpu, catalog);
  EXPECT_EQ(zen5.map.name, "amd-zen5");
  EXPECT_EQ(zen5.pmu, "");
  EXPECT_THAT(zen5.reason, HasSubstr("libpfm4 does not support"));
  cpu.key = "Somebody 1 1";
  EXPECT_EQ(choose_counter_map(read_counter_maps(kConfigs), cpu, catalog).map.name, "papi");
}

TEST(CounterMaps, WhatTheRecorderIsTold) {
  CounterMap map;
  map.pmus = {"skx"};
  map.counters = 4;
  map.fixed = {"cycles"};
  map.metrics["cycles"] = {{{"CYC"}, {}, ""}};
  map.metrics["hit_L1"] = {{{"ALL"}, {"MISS"}, ""}};
  map.metrics["hit_L2"] = {{{"MISS"}, {}, ""}};
  map.groups = {{"cycles", "hit_L1"}, {"cycles", "hit_L2"}};
  const auto groups = recorded_groups({map, "skx", ""});
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].size(), 3u);
  EXPECT_EQ(events_variable(groups), "PAPI_TOT_CYC,skx::ALL,skx::MISS");
  EXPECT_EQ(metrics_variable(groups),
            "cycles=+PAPI_TOT_CYC,hit_L1=+skx::ALL-skx::MISS,hit_L2=+skx::MISS");
}

TEST(CounterMaps, TheRecorderTriesAllAlternatives) {
  CounterMap map;
  map.counters = 4;
  map.metrics["cycles"] = {{{"CYC"}, {}, ""}};
  map.metrics["stall"] = {{{"EXACT"}, {}, ""}, {{"ROUGH"}, {"CYC"}, ""}};
  map.groups = {{"cycles", "stall"}};
  const auto groups = recorded_groups({map, "", ""});
  EXPECT_EQ(events_variable(groups), "PAPI_TOT_CYC,EXACT,ROUGH,CYC");
  EXPECT_EQ(metrics_variable(groups), "cycles=+PAPI_TOT_CYC,stall=+EXACT,stall=+ROUGH-CYC");
}

std::string error_of(const std::string& yaml) {
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "map.yaml";
  std::ofstream(file) << yaml;
  try {
    read_counter_map(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& from, const std::string& to) {
  std::string text =
      "format: apmt-counters\nformat_version: \"1.0\"\ntitle: t\npmus: [a]\ncpus: []\n"
      "counters: 2\nfixed: [cycles]\nmetrics:\n  cycles: {plus: [C]}\n  instructions: {plus: [I]}\n"
      "  hit_L1: {plus: [A]}\n  hit_L2: {plus: [B]}\n  hit_LLC: {absent: none}\n"
      "  acc_mm: {absent: none}\n  stall: {absent: none}\n"
      "groups: [[cycles, instructions], [cycles, hit_L1, hit_L2]]\n";
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CounterMaps, WrongFilesAreRefusedByName) {
  EXPECT_EQ(error_of(with("title: t", "title: u")), "");
  EXPECT_THAT(error_of(with("hit_L2: {plus: [B]}", "hit_L2: {plus: [B, D]}")),
              HasSubstr("takes 3"));
  EXPECT_THAT(error_of(with("hit_L2: {plus: [B]}", "hit_L3: {plus: [B]}")), HasSubstr("hit_L3"));
  EXPECT_THAT(error_of(with("  stall: {absent: none}\n", "")), HasSubstr("stall"));
  EXPECT_THAT(error_of(with("hit_L1: {plus: [A]}", "hit_L1: {minus: [A]}")), HasSubstr("plus"));
  EXPECT_THAT(error_of(with(", hit_L2]]", "]]")), HasSubstr("hit_L2 too"));
  EXPECT_THAT(error_of(with("[[cycles, instructions]", "[[instructions]")),
              HasSubstr("cycles in each"));
  EXPECT_THAT(error_of(with("format: apmt-counters", "format: other")), HasSubstr("apmt-counters"));
  EXPECT_THAT(error_of(with("\"1.0\"", "\"2.0\"")), HasSubstr("2.0"));
  EXPECT_THAT(error_of("a: [b\n"), HasSubstr(".yaml:"));
  EXPECT_THAT(error_of("a: 1\na: 2\n"), HasSubstr("twice"));
  EXPECT_THAT(error_of(""), HasSubstr("empty"));
}

TEST(CpuIdentity, IsReadOnEachArchitecture) {
  const TemporaryFolder folder;
  const std::filesystem::path& root = folder.path();
  std::filesystem::create_directories(root / "proc");
  const auto identify = [&](const char* cpuinfo) {
    std::ofstream(root / "proc/cpuinfo") << cpuinfo;
    return identify_cpu(root);
  };
  CpuIdentity cpu = identify(
      "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\nmodel name\t: "
      "Xeon"
      "\nflags\t\t: fpu hypervisor\n\nprocessor\t: 1\nmodel\t\t: 99\n");
  EXPECT_EQ(cpu.key, "GenuineIntel 6 85");
  EXPECT_EQ(cpu.model, "Xeon");
  EXPECT_TRUE(cpu.is_virtual);
  EXPECT_EQ(identify("processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n").key,
            "0x41 0xd0c");
  EXPECT_EQ(identify("processor : 0\ncpu\t\t: POWER9, altivec supported\n").key, "POWER9");
  EXPECT_EQ(identify("").key, "");
}

}  // namespace
}  // namespace apmt
