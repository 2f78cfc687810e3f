// Compares every kind of sentence and table about analysed kernels (apmt analyze, its join with a
// run, the roofline), made from fixed values, with tests/golden/reports/sentences-kernels.txt.
#include <gtest/gtest.h>

#include "reports/kernel_join.h"
#include "reports/kernel_pictures.h"
#include "reports/kernels.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/reports/every_sentence.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

kernels::LoopFacts loop_at(std::uint32_t line, kernels::Verdict verdict) {
  kernels::LoopFacts loop;
  loop.id = line;
  loop.function = "relax";
  loop.file = "halo2d.c";
  loop.line = line;
  loop.entries = 200;
  loop.trips = 51200;
  loop.verdict = verdict;
  return loop;
}

/// A kernel of which everything is known.
kernels::KernelAnalysis relax() {
  using namespace kernels;
  KernelAnalysis k;
  k.function = "relax";
  k.name = "relax";
  k.file = "halo2d.c";
  k.line = 40;
  k.invocations = 200;
  k.followed_invocations = 31;
  k.skipped_difference = 0.12;
  k.threads = 4;
  k.mix.emplace();
  k.mix->instructions = 1'000'000;
  k.mix->alu = 400'000;
  k.mix->simd = 100'000;
  k.mix->loads = 200'000;
  k.mix->stores = 100'000;
  k.mix->branches = 100'000;
  k.mix->loaded_bytes = 1'600'000;
  k.mix->stored_bytes = 800'000;
  k.mix->flops = 300'000;
  k.mix->flops_vector = 150'000;
  k.floating_point.emplace();
  k.floating_point->depth = 1'000;
  k.floating_point->operations = 300'000;
  k.floating_point->profile = {100, 300, 500};
  k.floating_point->shadow_bytes = 16 << 20;
  k.all_operations.emplace();
  k.all_operations->depth = 2'000;
  k.all_operations->operations = 900'000;
  k.all_operations->profile = {200, 450, 700};
  k.all_operations->is_complete = false;
  k.locality.emplace();
  k.locality->accesses = 300'000;
  k.locality->cold = 20'000;
  k.locality->distances = {{0, 0, 200'000}, {1'000, 1'000, 80'000}};
  k.synchronisation.emplace();
  k.synchronisation->by_trip_counts = 200;
  k.synchronisation->inside_parallel = 50;
  k.loops = {loop_at(41, Verdict::kParallel), loop_at(42, Verdict::kSequential),
             loop_at(60, Verdict::kSequential), loop_at(70, Verdict::kSingle)};
  k.loops[0].footprint_bytes = 1'310'720;
  k.loops[0].idioms = {{"stencil", "halo2d.c", 44, "b[i] = a[i - 1] + a[i + 1];", 8, 4, 96, 0.75}};
  k.loops[1].parent = 41;
  k.loops[1].depth = 2;
  k.loops[1].because_line = 43;
  k.aiwc.emplace();
  k.aiwc->work_item = "iteration of halo2d.c:41";
  k.aiwc->instructions = 5'000;
  k.aiwc->work_items = 256;
  k.aiwc->least_per_item = 1'000;
  k.aiwc->most_per_item = 20'000;
  k.aiwc->median_per_item = 19'000;
  k.aiwc->branches = 12;
  k.aiwc->linear = 0.31;
  k.blind_spots = {{"sqrt", 10}, {"", 1}};
  return k;
}

/// A kernel without floating-point operations, of which too few cache lines were sampled, and whose
/// synchronisations the user annotated.
kernels::KernelAnalysis pack() {
  kernels::KernelAnalysis k = relax();
  k.function = k.name = "pack";
  k.invocations = 1;
  k.followed_invocations.reset();
  k.skipped_difference.reset();
  k.threads = 1;
  k.mix->flops = 0;
  k.floating_point->depth = 0;
  k.all_operations->is_complete = true;
  k.sampled_locality = k.locality;
  k.sampled_locality->one_line_of = 100;
  k.sampled_locality->cold = 1'500;
  k.locality.reset();
  k.synchronisation->annotated = 3;
  k.loops.clear();
  k.aiwc->work_item = "work-item";
  k.aiwc->work_items = 1;
  k.aiwc->branches = 1;
  k.blind_spots.clear();
  return k;
}

/// A kernel that nothing would slow down on a wide device. The analyses of its locality,
/// synchronisation and branches reached their memory limits.
kernels::KernelAnalysis wide() {
  kernels::KernelAnalysis k = pack();
  k.function = k.name = "wide";
  k.mix->flops = 4'000'000;
  k.mix->flops_vector = 0;
  k.all_operations->operations = 9'000'000;
  k.sampled_locality->cold = 20'000;
  k.sampled_locality->is_complete = false;
  k.synchronisation = kernels::Synchronisation{};
  k.synchronisation->is_complete = false;
  k.aiwc->work_item = "invocation";
  k.aiwc->linear = 0.02;
  k.aiwc->is_complete = false;
  return k;
}

void analysed_kernels(EverySentence* all) {
  all->about("kernels");
  kernels::Analysis analysis;
  analysis.program = "halo2d 1000 100";
  analysis.analysers = {"mix"};
  all->add(make_analysis_report(analysis));
  analysis.copied_to_device_bytes = 300'000;
  analysis.copied_from_device_bytes = 100'000;
  analysis.kernels = {relax(), pack(), wide()};
  kernels::KernelAnalysis in_registers = wide();
  in_registers.mix->loaded_bytes = in_registers.mix->stored_bytes = 0;
  analysis.kernels.push_back(in_registers);
  all->add(make_analysis_report(analysis));
}

void counted_functions(EverySentence* all) {
  all->about("counts without kernels");
  kernels::Analysis analysis;
  analysis.program = "halo2d 1000 100";
  kernels::ScopeCounts scope;
  scope.file = "halo2d.c";
  scope.mix = *pack().mix;
  scope.function = "exchange";
  analysis.scopes = {scope};
  scope.function = "sweep";
  scope.mix = *relax().mix;
  scope.mix.instructions *= 2;
  analysis.scopes.push_back(scope);
  all->add(make_analysis_report(analysis));
}

void pictures(EverySentence* all) {
  all->about("pictures of kernels");
  kernels::Analysis analysis;
  analysis.kernels = {relax(), pack(), wide()};
  const MachineProfile machine = example::machine();
  for (const MachineProfile* at : {static_cast<const MachineProfile*>(nullptr), &machine}) {
    Report report;
    add_analysed_kernels(analysis, analysis, at, &report);
    for (const ReportSection& section : report.sections) {
      all->add("[" + section.title + "]");
      if (section.kiviat_chart) all->add(section.kiviat_chart->description);
      if (section.levels_chart) all->add(section.levels_chart->description);
      if (section.distance_chart) all->add(section.distance_chart->description);
    }
  }
  Report report;
  analysis.kernels.assign(14, pack());
  add_analysed_kernels(analysis, analysis, nullptr, &report);
  all->add(report.sections.back().sentences.back());
}

void joins(EverySentence* all) {
  all->about("kernels joined with a run");
  KernelJoin join;
  join.program = "mpirun -np 2 ./halo2d-analysed 1000";
  join.command = "mpirun -np 2 ./halo2d 1000";
  join.cpu_s = 8;
  join.joined_s = 7.84;
  join.ir_instructions = 4e9;
  JoinedCounts counts;
  counts.flops = 1.2e9;
  counts.loaded_bytes = 1.6e10;
  counts.stored_bytes = 8e9;
  counts.ir_instructions = 3.9e9;
  join.is_same_input = true;
  join.functions = {{"sweep", {}, 7.8, 7.8, counts}, {"exchange", {}, 0.04, 0.04, {}}};
  all->add(make_join_report(join));
  join.is_same_input = false;
  join.joined_s = 6;
  join.functions[0].joined_s = 5.96;
  join.missing = {{"memset", "libc.so.6", 1, "in libc.so.6"},
                  {"ddot", "libblas.so.3", 0.6, "in libblas.so.3, which was not analysed"},
                  {"norm", "halo2d", 0.3, "not in the analysed build, or it did not run there"},
                  {"main", "halo2d", 0.1, "not in the analysed build, or it did not run there"}};
  counts.ir_instructions = 1e8;
  counts.flops = 2e6;
  join.unplaced = {{"setup", counts}};
  join.notes = {"a note"};
  all->add(make_join_report(join));
  join.missing.resize(2);
  all->add(make_join_report(join).headline);
}

MetricModel metric_of_all(const std::string& name, double total) {
  MetricModel metric;
  metric.metric = name;
  metric.provenance = Provenance::kHardware;
  FitPoint point;
  point.procs = 8;
  point.value = total;
  metric.points = {point};
  return metric;
}

void rooflines(EverySentence* all) {
  all->about("rooflines");
  Model model = example::model(64);
  model.grade = Grade::kA;
  model.frequency_hz = 2e9;
  model.kernels[0].metrics = {metric_of_all("instructions", 64e9), metric_of_all("acc_mm", 64e7)};
  const MachineProfile machine = example::machine();
  for (const MachineProfile* at : {static_cast<const MachineProfile*>(nullptr), &machine}) {
    const OptionalSection section = roofline_section(model, at);
    ASSERT_TRUE(section);
    all->add(section);
    const RooflineChart& chart = section->roofline_chart.value();
    all->add(chart.description);
    for (const RooflineChart::Roof& roof : chart.roofs) all->add("roof: " + roof.name);
    // In the second report, cycles are known and another kernel makes no access to memory.
    model.kernels[0].metrics.push_back(metric_of_all("cycles", 32e9));
    model.kernels[1].metrics = {metric_of_all("instructions", 8e9), metric_of_all("acc_mm", 0)};
  }
}

TEST(EverySentence, OfKernelsIsAsReadersNeedIt) {
  EverySentence all(EverySentence::Tables::kWhole);
  analysed_kernels(&all);
  counted_functions(&all);
  pictures(&all);
  joins(&all);
  rooflines(&all);
  expect_golden("sentences-kernels.txt", all.text());
}

}  // namespace
}  // namespace apmt
