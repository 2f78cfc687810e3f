#include "reports/kernel_pictures.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "reports/kernels.h"
#include "reports/kiviat.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

using namespace kernels;

constexpr std::size_t kMostKernels = 12;

std::uint64_t instructions_of(const KernelAnalysis& k) { return k.mix ? k.mix->instructions : 0; }

std::optional<LevelsChart> levels_chart(const KernelAnalysis& k) {
  LevelsChart chart;
  const auto add = [&](const std::optional<Parallelism>& p, const std::string& name) {
    if (p && !p->profile.empty())
      chart.profiles.push_back({name, static_cast<double>(p->depth), p->profile});
  };
  add(k.floating_point, "floating-point operations");
  add(k.all_operations, "operations of any kind");
  if (chart.profiles.empty()) return std::nullopt;
  chart.description = "Parallelism of " + k.name +
                      ": how many operations can run at once, from "
                      "the first level of its schedule to the last (first invocation).";
  for (const LevelsChart::Profile& profile : chart.profiles)
    chart.description +=
        " " + profile.name + ": at most " +
        format_count(*std::max_element(profile.operations.begin(), profile.operations.end())) + ".";
  return chart;
}

/// A cache line is still in a cache after `distance` other lines were accessed if the cache has at
/// least distance + 1 lines. Bars end at powers of two, so in a cache whose size is a power of two,
/// either all accesses of a bar are hits or none is.
std::vector<DistanceChart::Bar> bars_of(const Locality& l) {
  std::vector<double> accesses;  // by log2 of the distance in lines
  for (const Locality::Distance& bin : l.distances) {
    const auto log2 = static_cast<std::size_t>(std::bit_width(bin.from));
    if (log2 >= accesses.size()) accesses.resize(log2 + 1);
    accesses[log2] += bin.accesses;
  }
  std::vector<DistanceChart::Bar> bars;
  for (std::size_t log2 = 0; log2 < accesses.size(); ++log2)
    if (accesses[log2] > 0)
      bars.push_back({std::exp2(static_cast<double>(log2)) * static_cast<double>(l.line_bytes) / 2,
                      accesses[log2] / l.accesses});
  return bars;
}

std::optional<DistanceChart> distance_chart(const KernelAnalysis& k,
                                            const MachineProfile* machine) {
  const std::optional<Locality>& l = k.locality ? k.locality : k.sampled_locality;
  if (!l || !(l->accesses > 0)) return std::nullopt;
  DistanceChart chart{.description = "Locality of " + k.name +
                                     ": its accesses by the size of the smallest ideal cache that "
                                     "keeps the line until it is accessed again.",
                      .bars = bars_of(*l),
                      .first_share = l->cold / l->accesses,
                      .caches = {}};
  if (l->one_line_of > 1)
    chart.description += " One line of " + std::to_string(l->one_line_of) + " was followed.";
  if (machine == nullptr) {
    chart.description += " apmt report --profiled-on MACHINE draws the caches of a machine.";
    return chart;
  }
  for (const MemoryLevel& level : machine->levels)
    if (level.size_bytes > 0) {
      const auto bytes = static_cast<double>(level.size_bytes);
      chart.caches.emplace_back(level.name, bytes);
      chart.description += " " + level.name + " (" + format_bytes(bytes) + ") would miss " +
                           format_share(l->misses(bytes) / l->accesses) + ".";
    }
  return chart;
}

ReportSection section_of(const KernelAnalysis& k, std::size_t number, const Analysis& reference,
                         const MachineProfile* machine) {
  ReportSection section = kernel_section(k);
  section.id = "analysed-" + std::to_string(number);
  section.title = "Analysis of " + section.title;
  for (ReportTable& table : section.tables) table.id += "-" + std::to_string(number);
  section.kiviat_chart = kiviat_chart(k, reference);
  section.levels_chart = levels_chart(k);
  section.distance_chart = distance_chart(k, machine);
  return section;
}

}  // namespace

void add_analysed_kernels(const Analysis& analysis, const Analysis& reference,
                          const MachineProfile* machine, Report* report) {
  std::vector<const KernelAnalysis*> order;
  for (const KernelAnalysis& k : analysis.kernels) order.push_back(&k);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return instructions_of(*a) > instructions_of(*b);
  });
  const std::size_t shown = std::min(order.size(), kMostKernels);
  for (std::size_t i = 0; i < shown; ++i)
    report->sections.push_back(section_of(*order[i], i + 1, reference, machine));
  if (order.size() > shown)
    report->sections.back().sentences.push_back(
        "The analysis has " +
        plural(static_cast<double>(order.size() - shown), "more kernel", "more kernels") +
        " with fewer instructions.");
}

}  // namespace apmt
