#include "reports/kiviat.h"

#include <algorithm>
#include <cmath>

#include "reports/numbers.h"

namespace apmt {
namespace {

using kernels::Aiwc;

struct Metric {
  std::string name;
  KiviatChart::Group group;
  bool is_count;  // spans orders of magnitude
  std::optional<double> value;
};

double as_number(std::uint64_t n) { return static_cast<double>(n); }
std::optional<double> as_number(const std::optional<std::uint64_t>& n) {
  return n ? std::optional(as_number(*n)) : std::nullopt;
}
/// Absent for 0, which has no inverse.
std::optional<double> inverse(double n) { return n > 0 ? std::optional(1 / n) : std::nullopt; }

/// The spokes of figures 2 and 3 of the paper on AIWC, in their order.
std::vector<Metric> metrics_of(const Aiwc& m) {
  using G = KiviatChart;
  const double instructions = as_number(m.instructions);
  const double waits =
      as_number(m.barriers) + as_number(m.work_items);  // the end of a work-item is a barrier, too
  std::vector<Metric> metrics = {
      {"opcodes", G::kCompute, false, as_number(m.opcodes)},
      {"instructions", G::kCompute, true, instructions},
      {"1/work-items", G::kParallelism, false, inverse(as_number(m.work_items))},
      {"1/mean ITB", G::kParallelism, false,
       instructions > 0 ? std::optional(waits / instructions) : std::nullopt},
      {"1/operands", G::kParallelism, false, inverse(m.mean_lanes * instructions)},
      {"imbalance", G::kParallelism, true,
       as_number(m.most_per_item) - as_number(m.least_per_item)},
      {"footprint", G::kMemory, true, as_number(m.footprint)},
      {"footprint 90 %", G::kMemory, true, as_number(m.footprint_90)},
      {"unique reads", G::kMemory, true, as_number(m.unique_reads)},
      {"unique writes", G::kMemory, true, as_number(m.unique_writes)},
      {"reads/writes", G::kMemory, true, m.unique_read_write},
      {"reads", G::kMemory, true, as_number(m.reads)},
      {"writes", G::kMemory, true, as_number(m.writes)},
      {"reread", G::kMemory, false, m.reread},
      {"rewrite", G::kMemory, false, m.rewrite},
      {"entropy", G::kMemory, false, m.entropy},
  };
  for (std::size_t bits = 0; bits < m.local_entropies.size(); ++bits)
    metrics.push_back({"entropy, " + std::to_string(bits + 1) + " off", G::kMemory, false,
                       m.local_entropies[bits]});
  metrics.push_back({"branches", G::kControl, false, as_number(m.branches)});
  metrics.push_back({"branches 90 %", G::kControl, false, as_number(m.branches_90)});
  metrics.push_back({"Yokota", G::kControl, false, m.yokota});
  metrics.push_back({"linear", G::kControl, false, m.linear});
  return metrics;
}

bool is_usable(const std::optional<Aiwc>& m) { return m && m->is_complete && m->instructions > 0; }
bool have_same_definitions(const Aiwc& a, const Aiwc& b) {
  constexpr const char* kOpencl = "work-item";
  return a.is_compatible == b.is_compatible && (a.work_item == kOpencl) == (b.work_item == kOpencl);
}

double scaled(const Metric& metric) {
  return metric.is_count ? std::log1p(*metric.value) : *metric.value;
}

/// The largest value of each metric, by index in metrics_of(), and the number of kernels compared.
struct Largest {
  std::vector<double> values;
  std::size_t kernels = 0;
};

Largest largest_in(const kernels::Analysis& reference, const Aiwc& like) {
  Largest largest;
  for (const kernels::KernelAnalysis& kernel : reference.kernels) {
    if (!is_usable(kernel.aiwc) || !have_same_definitions(*kernel.aiwc, like)) continue;
    const std::vector<Metric> metrics = metrics_of(*kernel.aiwc);
    largest.values.resize(std::max(largest.values.size(), metrics.size()));
    for (std::size_t i = 0; i < metrics.size(); ++i)
      if (metrics[i].value) largest.values[i] = std::max(largest.values[i], scaled(metrics[i]));
    ++largest.kernels;
  }
  return largest;
}

}  // namespace

std::optional<KiviatChart> kiviat_chart(const kernels::KernelAnalysis& kernel,
                                        const kernels::Analysis& reference) {
  if (!is_usable(kernel.aiwc)) return std::nullopt;
  const Largest largest = largest_in(reference, *kernel.aiwc);
  if (largest.kernels == 0) return std::nullopt;
  KiviatChart chart;
  chart.description =
      "AIWC's metrics of " + kernel.name + " as shares of the largest among " +
      plural(static_cast<double>(largest.kernels), "reference kernel", "reference kernels") + ".";
  const std::vector<Metric> metrics = metrics_of(*kernel.aiwc);
  for (std::size_t i = 0; i < std::min(metrics.size(), largest.values.size()); ++i) {
    if (!metrics[i].value) continue;
    const double value = scaled(metrics[i]);
    const double share = largest.values[i] > 0 ? value / largest.values[i] : value > 0 ? 2 : 0;
    chart.spokes.push_back({metrics[i].name, format_significant(*metrics[i].value),
                            metrics[i].group, std::clamp(share, 0.0, 1.0), share > 1});
  }
  return chart;
}

}  // namespace apmt
