// The roofline section: compares kernels with the limits of the core and of memory. Because
// floating-point operations are not counted, the axes are instructions per access to main memory
// and instructions per second.
#include <algorithm>

#include "reports/numbers.h"
#include "reports/sections.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

constexpr double kLineBytes = 64;  // bytes that one access to main memory moves: a cache line

const MetricModel* metric_of(const KernelModel& kernel, const char* name) {
  for (const MetricModel& metric : kernel.metrics)
    if (metric.metric == name) return &metric;
  return nullptr;
}

std::optional<double> total(const KernelModel& kernel, const char* name, int procs) {
  const MetricModel* metric = metric_of(kernel, name);
  return metric == nullptr ? std::nullopt : value_at(metric->points, procs);
}

struct Placed {
  const KernelModel* kernel;
  double time_s;        // per process
  double instructions;  // of all processes
  double accesses;      // of all processes, to main memory
  std::optional<double> cycles;
  Source source;  // of the counts
};

std::vector<Placed> placed_kernels(const Model& model, int procs) {
  std::vector<Placed> list;
  for (const KernelModel& kernel : model.kernels) {
    const std::optional<double> time_s = value_at(kernel.points, procs);
    const std::optional<double> instructions = total(kernel, "instructions", procs);
    const std::optional<double> accesses = total(kernel, "acc_mm", procs);
    if (!time_s || !instructions || !accesses) continue;
    if (*time_s <= 0 || *instructions <= 0) continue;
    const Provenance provenance = metric_of(kernel, "instructions")->provenance;
    list.push_back({&kernel, *time_s, *instructions, *accesses, total(kernel, "cycles", procs),
                    provenance == Provenance::kSimulated ? Source::kSimulated : Source::kMeasured});
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.time_s > b.time_s; });
  return list;
}

std::vector<RooflineChart::Roof> roofs_of(const Model& model, const MachineProfile* machine) {
  std::vector<RooflineChart::Roof> roofs;
  const std::optional<double> frequency = model.frequency_hz ? model.frequency_hz
                                          : machine != nullptr && machine->frequency_hz
                                              ? std::optional(machine->frequency_hz->value)
                                              : std::nullopt;
  if (frequency) roofs.push_back({"one instruction a cycle", *frequency, 0});
  if (machine == nullptr) return roofs;
  const auto add = [&](const std::string& name, double bytes_per_s) {
    if (bytes_per_s > 0) roofs.push_back({name, 0, bytes_per_s / kLineBytes});
  };
  if (const MemoryLevel* memory = machine->level("memory")) {
    if (memory->bandwidth_bytes_per_s)
      add("memory bandwidth, one core alone", memory->bandwidth_bytes_per_s->value);
    if (memory->latency_ns && memory->latency_ns->value > 0)
      roofs.push_back({"one access at a time", 0, 1e9 / memory->latency_ns->value});
  }
  if (!machine->bandwidth_by_cores.empty()) {
    const auto& [cores, bandwidth] = machine->bandwidth_by_cores.back();
    if (cores > 1)
      add("memory bandwidth, all " + std::to_string(cores) + " cores busy",
          bandwidth.value / cores);
  }
  return roofs;
}

ReportTable table_of(const Model& model, const std::vector<Placed>& placed, int procs) {
  ReportTable table{.id = "roofline"};
  table.text_rows = kKernelsInText;
  table.more = "kernels";
  const bool cycles =
      std::any_of(placed.begin(), placed.end(), [](const Placed& p) { return p.cycles; });
  const Source counted = placed.front().source;
  table.columns = {
      {"kernel", "kernel", Quantity::kText, Source::kNone, false, true},
      {"time", "time/process", Quantity::kSeconds, Source::kMeasured},
      {"instructions", "instructions", Quantity::kCount, counted},
      {"accesses", "accesses to memory", Quantity::kCount, counted},
      {"instructions_per_access", "instructions per access", Quantity::kCount, Source::kDerived},
      {"instructions_per_second", "instructions per second", Quantity::kCount, Source::kDerived}};
  if (cycles)
    table.columns.push_back(
        {"instructions_per_cycle", "per cycle", Quantity::kFactor, Source::kDerived});
  for (const Placed& p : placed) {
    ReportRow row{
        .cells = {
            text_cell(kernel_title(model, *p.kernel)), number_cell(p.time_s),
            from(p.source, number_cell(p.instructions)), from(p.source, number_cell(p.accesses)),
            number_cell(p.accesses > 0 ? std::optional(p.instructions / p.accesses) : std::nullopt),
            number_cell(p.instructions / procs / p.time_s)}};
    if (cycles)
      row.cells.push_back(number_cell(
          p.cycles && *p.cycles > 0 ? std::optional(p.instructions / *p.cycles) : std::nullopt));
    table.rows.push_back(std::move(row));
  }
  table.caption = "With " + processes(procs) +
                  "; counts of all processes, rates of one; accesses: to main memory";
  return table;
}

}  // namespace

OptionalSection roofline_section(const Model& model, const MachineProfile* machine) {
  if (model.kernels.empty()) return std::nullopt;
  if (model.grade != Grade::kA && model.grade != Grade::kB) return std::nullopt;
  const int procs = model.max_procs();
  const std::vector<Placed> placed = placed_kernels(model, procs);
  if (placed.empty()) return std::nullopt;
  ReportSection section{.id = "roofline", .title = "Roofline: core-bound and memory-bound kernels"};
  RooflineChart chart;
  double sum_s = 0;
  for (const Placed& p : placed) sum_s += p.time_s;
  for (const Placed& p : placed)
    if (p.accesses > 0)
      chart.kernels.push_back({kernel_title(model, *p.kernel), p.instructions / p.accesses,
                               p.instructions / procs / p.time_s, p.time_s / sum_s});
  chart.roofs = roofs_of(model, machine);
  chart.description =
      "Instructions per second of one process against instructions per access to "
      "main memory, with " +
      processes(procs) + ", both axes logarithmic.";
  section.sentences.push_back(
      "Floating-point operations are not counted, so kernels are placed by their instructions. "
      "Further left means more memory accesses per instruction; lower means slower." +
      std::string(machine == nullptr ? " Add --profiled-on PROFILE (from apmt calibrate) to "
                                       "draw the memory limits."
                                     : " An access is assumed to move " +
                                           format_number(kLineBytes) + " bytes; machine: " +
                                           machine->name + ", " + machine->provenance + "."));
  section.tables.push_back(table_of(model, placed, procs));
  if (!chart.kernels.empty()) section.roofline_chart = std::move(chart);
  return section;
}

}  // namespace apmt
