// The roofline of each device: the highest speed that the device allows for a number of operations
// per byte from its slow memory (main memory). It also shows the speeds that kernels are predicted
// to reach.
#include <algorithm>

#include "reports/devices/match.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

using devices::Device;
using devices::DevicePrediction;
using devices::KernelMatch;

struct Placed {
  const KernelMatch* kernel;
  double flops_per_byte;
  double flops_per_s;
  double seconds;
};

std::vector<Placed> placed_on(const Device& device, const std::vector<KernelMatch>& kernels) {
  std::vector<Placed> placed;
  for (const KernelMatch& kernel : kernels)
    for (std::size_t i = 0; i < kernel.timed(); ++i) {
      const DevicePrediction& p = kernel.predictions[i];
      if (p.device != device.label || !(kernel.flops > 0)) continue;
      if (!p.slow_bytes || !(*p.slow_bytes > 0)) continue;
      placed.push_back(
          {&kernel, kernel.flops / *p.slow_bytes, *kernel.flops_per_s(i), p.time->total_s});
    }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.seconds > b.seconds; });
  return placed;
}

std::vector<RooflineChart::Roof> roofs_of(const Device& device) {
  std::vector<RooflineChart::Roof> roofs;
  const auto single = device.peak_flops_per_s(1), both = device.peak_flops_per_s(0);
  if (single) roofs.push_back({"peak, single precision", *single, 0});
  if (both) roofs.push_back({"peak, double precision", *both, 0});
  if (device.slow_bytes_per_s)
    roofs.push_back({"bandwidth of the memory", 0, device.slow_bytes_per_s->value});
  return roofs;
}

/// The speed that the roofs allow at this number of operations per byte; absent if a roof is
/// missing.
std::optional<double> roof_at(const std::vector<RooflineChart::Roof>& roofs,
                              double flops_per_byte) {
  std::optional<double> flat, sloping;
  for (const RooflineChart::Roof& roof : roofs) {
    if (roof.work_per_s > 0) flat = std::max(flat.value_or(0), roof.work_per_s);
    if (roof.accesses_per_s > 0) sloping = roof.accesses_per_s * flops_per_byte;
  }
  if (!flat || !sloping) return std::nullopt;
  return std::min(*flat, *sloping);
}

}  // namespace

std::optional<ReportSection> device_roofline(const Device& device,
                                             const std::vector<KernelMatch>& kernels) {
  const std::vector<Placed> placed = placed_on(device, kernels);
  if (placed.empty()) return std::nullopt;
  ReportSection section{.id = "roofline-" + device.label, .title = "Roofline of " + device.label};
  RooflineChart chart;
  chart.work = "floating-point operations";
  chart.access = "byte from the slow memory";
  chart.short_access = "byte";
  chart.roofs = roofs_of(device);
  chart.description =
      "Predicted floating-point operations per second against operations per byte "
      "from the slow memory of " +
      device.label + ", both axes logarithmic.";
  ReportTable table{.id = "roofline-" + device.label, .caption = ""};
  table.repeats_chart = true;
  table.text_rows = 8;
  table.more = "kernels";
  table.columns = {{.id = "kernel", .title = "kernel", .is_code = true},
                   {.id = "intensity",
                    .title = "FLOP per byte",
                    .quantity = Quantity::kPlain,
                    .source = Source::kDerived},
                   {.id = "rate",
                    .title = "FLOP per second",
                    .quantity = Quantity::kCount,
                    .source = Source::kDerived},
                   {.id = "of_roof",
                    .title = "of the roof",
                    .quantity = Quantity::kShare,
                    .source = Source::kDerived}};
  double sum_s = 0;
  for (const Placed& p : placed) sum_s += p.seconds;
  for (const Placed& p : placed) {
    chart.kernels.push_back({p.kernel->name, p.flops_per_byte, p.flops_per_s, p.seconds / sum_s});
    const auto roof = roof_at(chart.roofs, p.flops_per_byte);
    table.rows.push_back(
        {.cells = {{.text = p.kernel->name},
                   {.text = format_significant(p.flops_per_byte), .value = p.flops_per_byte},
                   {.value = p.flops_per_s},
                   {.value = roof ? std::optional(p.flops_per_s / *roof) : std::nullopt}}});
  }
  section.sentences.push_back(
      "The bytes are those that the device's caches cannot keep. Kernels without floating-point "
      "operations, or whose data fit into the caches, are not shown.");
  section.tables.push_back(std::move(table));
  section.roofline_chart = std::move(chart);
  return section;
}

}  // namespace apmt
