// Compares every kind of sentence and table about devices (apmt match, apmt offload), made from
// fixed values, with tests/golden/reports/sentences-devices.txt.
#include <gtest/gtest.h>

#include "reports/devices/match.h"
#include "reports/devices/offload.h"
#include "tests/unit/devices/made.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/reports/every_sentence.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using devices::Device;
using devices::MatchMethod;
using devices::testing::figure;
using devices::testing::made_device;
using devices::testing::made_kernel;

/// A device that is known from a data sheet, with the few figures that an estimate needs.
Device from_paper() {
  Device d = made_device("paper");
  d.sources["here"].kind = "published";
  d.units.reset();
  d.fast_latency_s.reset();
  d.slow_latency_s.reset();
  d.fast_bytes_per_s.reset();
  d.synchronisation_s.reset();
  d.launch_s.reset();
  d.to_device = d.from_device = {};
  return d;
}

kernels::KernelAnalysis kernel_with_idioms() {
  kernels::KernelAnalysis k = made_kernel();
  k.loops.emplace_back();
  k.loops[0].file = "work.c";
  k.loops[0].line = 8;
  k.loops[0].footprint_bytes = 4'000;
  k.loops[0].idioms = {{"stream", "work.c", 9, "b[i] = a[i];", 500, 500, 8'000, 0.5},
                       {"gather", "work.c", 10, "c[i] = a[j[i]];", 250, 250, 4'000, 0.25}};
  return k;
}

Device with_idioms(Device d, double stream, double gather) {
  d.idioms["stream"].points = {{1'000, stream, 0}, {10'000, stream, 0}};
  if (gather > 0) d.idioms["gather"].points = {{500, gather, 0}, {1'000, gather, 0}};
  return d;
}

Report matched(const kernels::Analysis& analysis, const std::vector<Device>& on, MatchMethod method,
               std::optional<double> vectorised = {},
               devices::DataPlace data = devices::DataPlace::kResident) {
  devices::MatchOptions options;
  options.method = method;
  options.data = data;
  options.vectorised = vectorised;
  return make_match_report(devices::match(analysis, on, options));
}

/// A host on which the streams and gathers of kernel_with_idioms() take 59.4 s.
Device host() {
  Device d = made_device("cpu");
  d.kind = "cpu";
  d.levels = {{"L1", figure(1'000), {}, figure(1'000)}, {"memory", {}, {}, figure(100)}};
  return d;
}

void matches_with_host(const kernels::Analysis& analysis, EverySentence* all) {
  devices::MatchOptions options;
  options.method = MatchMethod::kPmac;
  options.host = devices::IdiomHost{.card = host()};
  const Device fpga = with_idioms(made_device("fpga", 20), 1'000, 100);
  const Device gpu = with_idioms(made_device("gpu", 20), 100, 1'000);
  const auto add = [&](const std::vector<Device>& on) {
    all->add(make_match_report(devices::match(analysis, on, options)));
  };
  add({fpga, gpu});
  options.host->coverage = 0.2;
  options.data = devices::DataPlace::kPerStep;
  options.steps = 3;
  add({with_idioms(fpga, 1'000, 1'000)});
  options.do_overlap = true;
  add({fpga, with_idioms(made_device("dsp"), 100, 0)});
  add({with_idioms(gpu, 100, 100)});
}

void matches(EverySentence* all) {
  all->about("devices for kernels");
  kernels::Analysis analysis;
  analysis.program = "app 100";
  analysis.kernels = {made_kernel()};
  const Device box = made_device("box");
  const Device fast = made_device("fast", 3);
  all->add(matched(analysis, {box, fast}, MatchMethod::kAutomatch));
  all->add(matched(analysis, {box, fast}, MatchMethod::kAutomatch, 0.5));
  kernels::KernelAnalysis copy = kernel_with_idioms();
  copy.function = copy.name = "copy";
  copy.all_operations = copy.floating_point;
  copy.synchronisation.reset();
  analysis.kernels.push_back(copy);
  all->add(matched(analysis, {box, fast, from_paper()}, MatchMethod::kApmt));
  // One kernel has no footprint and one device no link, so their transfers have no time.
  const Device third = made_device("third", 1.5);
  all->add(matched(analysis, {box, third, from_paper()}, MatchMethod::kApmt, {},
                   devices::DataPlace::kPerCall));
  Device measured = made_device("measured", 1.02);
  measured.slow_bytes_per_s->spread = 0.2;
  all->add(matched(analysis, {box, measured}, MatchMethod::kApmt));
  all->add(matched(analysis, {box, measured, made_device("third", 1.01)}, MatchMethod::kApmt));
  Device silent = made_device("silent", 10), mute = made_device("mute", 12);
  silent.launch_s.reset();
  mute.launch_s.reset();
  Device slow_to_launch = box;
  slow_to_launch.launch_s->value = 50;
  all->add(matched(analysis, {slow_to_launch, silent}, MatchMethod::kApmt));
  all->add(matched(analysis, {slow_to_launch, silent, mute}, MatchMethod::kApmt));
  analysis.kernels = {copy};
  const Device fast_idioms = with_idioms(fast, 4'000, 1'000);
  all->add(matched(analysis, {with_idioms(box, 1'000, 2'000), fast_idioms}, MatchMethod::kPmac));
  all->add(matched(analysis, {with_idioms(box, 1'000, 0), fast_idioms}, MatchMethod::kPmac));
  devices::MatchOptions options;
  options.scatter = 0.3;
  all->add(make_match_report(
      devices::match(analysis, {with_idioms(box, 1'000, 20), made_device("far", 100)}, options)));
  matches_with_host(analysis, all);
}

devices::PortableKernel portable(const std::string& name) {
  const devices::AnalysedWorkload analysed{1'000, devices::workload_of(made_kernel())};
  return {name, name, "app.c:1", {}, devices::WorkloadLaw({analysed})};
}

devices::PortedProgram ported(double seconds, double speedup) {
  return {example::around(seconds, 0.1), {speedup, 0.9 * speedup, 1.1 * speedup}};
}

devices::KernelPort port(std::size_t kernel, double host_s, double device_s) {
  devices::KernelPort p;
  p.kernel = kernel;
  p.host = example::around(host_s, 0.1);
  p.device_s = device_s;
  p.parts.computation_s = 0.6 * device_s;
  p.parts.slow_memory_s = 0.4 * device_s;
  p.alone = ported(10 - host_s + device_s, 10 / (10 - host_s + device_s));
  return p;
}

/// 16 processes: sweep and solve are worth porting, pack is not, norm has no time on the device.
devices::OffloadAt at_sixteen() {
  devices::OffloadAt at;
  at.procs = 16;
  at.params = {{"n", 8000}};
  at.work_per_rank = 500;
  at.ranks_per_device = 4;
  at.host = example::around(10, 0.05);
  at.ported = ported(4, 2.5);
  at.transfer_s = 0.2;
  at.ports = {port(0, 5, 1), port(1, 3, 1), port(2, 0.1, 0.5), port(3, 0.2, 0)};
  at.shared_s = 0.3;
  for (const std::size_t i : {0u, 1u}) at.ports[i].is_worth_it = true;
  for (const std::size_t i : {0u, 2u}) at.ports[i].is_worth_it_unshared = true;
  at.ports[0].after = ported(6, 1.67);
  at.ports[1].after = at.ported;
  at.ports[0].extrapolation = 2;
  at.ports[1].extrapolation = 2;
  at.ports[1].notes = {"latencies of memory: left out, not on the card"};
  at.ports[3].device_s.reset();
  at.ports[3].alone.reset();
  at.ports[3].why_not = "its analysis lacks footprints";
  at.most_speedup = 5;
  return at;
}

devices::Offload planted_offload() {
  devices::Offload o;
  o.program = "app";
  o.device = made_device("box");
  o.options.per_node = 2;
  o.ranks_per_node = 8;
  for (const char* name : {"sweep", "solve", "pack", "norm"}) o.kernels.push_back(portable(name));
  o.at = {at_sixteen()};
  o.gain_end = {
      .procs = ProcsEstimate{128, 64, 256}, .why_not = "", .searched_from = 1, .searched_to = 4096};
  return o;
}

void offloads(EverySentence* all) {
  all->about("ports of a program");
  devices::Offload o = planted_offload();
  all->add(make_offload_report(o));
  o.options.port.wanted_speedup = 2;
  o.options.port.data = devices::DataPlace::kOnce;
  o.at[0].work_per_rank = 2'000;
  o.at[0].equal_factor = 2.9;
  o.at[0].ports[0].required = {.equally_s = 1.7, .others_best_s = 2.0};
  o.at[0].ports[1].required = {.equally_s = std::nullopt, .others_best_s = std::nullopt};
  o.gain_end.procs->high.reset();
  o.device.sources["here"].kind = "published";
  o.left = {"serial stays on the host: it was not analysed."};
  o.warnings = {"a warning."};
  all->add(make_offload_report(o));
  o.at[0].equal_factor.reset();
  o.options.port.data = devices::DataPlace::kPerCall;
  o.gain_end.procs.reset();
  o.gain_end.why_not = "ports gain at all of these process counts";
  all->add(make_offload_report(o));
  o.at[0].ports[0].device_range = {0.9, 1.2};
  all->add(make_offload_report(o));
  o.device.kind = "cpu";
  o.at[0].ports = {port(2, 0.1, 0.5)};
  o.at[0].ported = ported(10, 1);
  o.at[0].most_speedup.reset();
  all->add(make_offload_report(o));
}

TEST(EverySentence, OfDevicesIsAsReadersNeedIt) {
  EverySentence all(EverySentence::Tables::kWhole);
  matches(&all);
  offloads(&all);
  expect_golden("sentences-devices.txt", all.text());
}

}  // namespace
}  // namespace apmt
