// Tests of the roofline: which kernels are placed between the limits of core and memory, and that
// the section is left out if no kernel can be placed.
#include <gmock/gmock.h>

#include <map>

#include "reports/html_pieces.h"
#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

MetricModel metric(const std::string& name, double total, Provenance provenance) {
  MetricModel m;
  m.metric = name;
  m.provenance = provenance;
  FitPoint point;
  point.procs = 8;
  point.value = total;
  m.points = {point};
  return m;
}

/// Counts of the largest kernel on 8 processes: 64e9 instructions; 1 in 100 goes to memory.
Model counted(Grade grade, Provenance provenance) {
  Model model = example::model(64);
  model.grade = grade;
  model.frequency_hz = 2e9;
  model.kernels[0].metrics = {metric("instructions", 64e9, provenance),
                              metric("acc_mm", 64e7, provenance)};
  return model;
}

TEST(Roofline, PlacesAKernelByWhatIsCounted) {
  const Model model = counted(Grade::kA, Provenance::kHardware);
  const OptionalSection section = roofline_section(model, nullptr);
  const RooflineChart& chart = section.value().roofline_chart.value();
  ASSERT_THAT(chart.kernels, SizeIs(1)) << "the others have no counts";
  EXPECT_EQ(chart.kernels[0].name, "sweep");
  EXPECT_DOUBLE_EQ(chart.kernels[0].work_per_access, 100);
  const double time_s = model.kernels[0].points[2].value;
  EXPECT_DOUBLE_EQ(chart.kernels[0].work_per_s, 8e9 / time_s);
  ASSERT_THAT(chart.roofs, SizeIs(1)) << "nothing is known about the memory";
  EXPECT_EQ(chart.roofs[0].work_per_s, 2e9);
  EXPECT_THAT(section->sentences.front(), HasSubstr("--profiled-on"));
}

TEST(Roofline, TheMachineOfTheRunsGivesTheRoofsOfMemory) {
  MachineProfile machine = example::machine();  // 90 ns; 8 cores read 60 GB/s together
  machine.levels.back().bandwidth_bytes_per_s = Figure{1.28e10, 0};
  const OptionalSection section =
      roofline_section(counted(Grade::kA, Provenance::kHardware), &machine);
  const RooflineChart& chart = section.value().roofline_chart.value();
  std::map<std::string, double> accesses_per_s;
  for (const RooflineChart::Roof& roof : chart.roofs)
    accesses_per_s[roof.name] = roof.accesses_per_s;
  EXPECT_DOUBLE_EQ(accesses_per_s.at("memory bandwidth, one core alone"), 2e8);
  EXPECT_DOUBLE_EQ(accesses_per_s.at("memory bandwidth, all 8 cores busy"), 6e10 / 8 / 64);
  EXPECT_DOUBLE_EQ(accesses_per_s.at("one access at a time"), 1e9 / 90);
  const std::string picture = html_roofline(chart);
  EXPECT_THAT(picture, HasSubstr("role=\"img\""));
  EXPECT_THAT(picture, HasSubstr("sweep: "));
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
}

TEST(Roofline, CountsOfASimulatedProcessorAreCalledSimulated) {
  const OptionalSection section =
      roofline_section(counted(Grade::kB, Provenance::kSimulated), nullptr);
  const ReportTable& table = section.value().tables.front();
  EXPECT_EQ(table.columns[2].id, "instructions");
  EXPECT_EQ(source_of(table.columns[2], table.rows[0].cells[2]), Source::kSimulated);
  EXPECT_EQ(source_of(table.columns[1], table.rows[0].cells[1]), Source::kMeasured);
}

TEST(Roofline, WhereNothingCanBePlacedThereIsNoEmptySection) {
  for (const Grade grade : {Grade::kC, Grade::kD})
    EXPECT_FALSE(roofline_section(counted(grade, Provenance::kHardware), nullptr));
  Model model = counted(Grade::kA, Provenance::kHardware);
  model.kernels[0].metrics.pop_back();
  EXPECT_FALSE(roofline_section(model, nullptr));
}

}  // namespace
}  // namespace apmt
