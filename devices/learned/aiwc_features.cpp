#include "devices/learned/aiwc_features.h"

#include <cmath>
#include <map>

#include "base/input_error.h"

namespace apmt::learned {
namespace {

using kernels::Aiwc;

using Metrics = std::map<std::string, std::optional<double>>;

double number(std::uint64_t count) { return static_cast<double>(count); }

std::optional<double> number(const std::optional<std::uint64_t>& count) {
  return count ? std::optional(number(*count)) : std::nullopt;
}

bool is_opencl(const Aiwc& m) { return m.work_item == "work-item"; }

/// The metrics by their names in data sets. The ratios of unique to all accesses are left out: they
/// can be computed from the counts, and have no value for a kernel that never writes.
Metrics metrics_of(const Aiwc& m) {
  const double instructions = number(m.instructions);
  const double operands = m.mean_lanes * instructions;
  Metrics metrics = {
      {"opcode", number(m.opcodes)},
      {"granularity", 1 / instructions},
      {"barriers_per_instruction", (number(m.barriers) + 1) / instructions},
      {"instructions_per_operand", instructions / operands},
      {"total_instruction_count", instructions},
      {"workitems", number(m.work_items)},
      {"operand_sum", operands},
      {"total_barriers_hit", number(m.barriers)},
      {"min_instructions_to_barrier", number(m.least_to_barrier)},
      {"max_instructions_to_barrier", number(m.most_to_barrier)},
      {"median_instructions_to_barrier", m.median_to_barrier},
      {"min_instructions_per_thread", number(m.least_per_item)},
      {"max_instructions_per_thread", number(m.most_per_item)},
      {"median_instructions_per_thread", m.median_per_item},
      {"max_simd_width", number(m.most_lanes)},
      {"mean_simd_width", m.mean_lanes},
      {"stddev_simd_width", m.sd_lanes},
      {"total_memory_footprint", number(m.footprint)},
      {"ninety_percent_memory_footprint", number(m.footprint_90)},
      {"unique_reads", number(m.unique_reads)},
      {"unique_writes", number(m.unique_writes)},
      {"total_reads", number(m.reads)},
      {"total_writes", number(m.writes)},
      {"global_memory_address_entropy", m.entropy},
      {"total_unique_branch_instructions", number(m.branches)},
      {"ninety_percent_branch_instructions", number(m.branches_90)},
      {"branch_entropy_yokota", m.yokota},
      {"branch_entropy_average_linear", m.linear},
  };
  for (std::size_t bits = 0; bits < m.local_entropies.size(); ++bits)
    metrics["local_memory_address_entropy_" + std::to_string(bits + 1)] = m.local_entropies[bits];
  return metrics;
}

std::string version_of(const Aiwc& m) {
  if (m.is_compatible) return kAiwcPublished;
  return is_opencl(m) ? kAiwcOpencl : kAiwcNative;
}

/// Tells the user how to get metrics of this version.
std::string way_to(const std::string& version) {
  if (version == kAiwcPublished)
    return "analyse it as an OpenCL kernel with apmt analyze --opencl --with aiwc-compat, or use "
           "a model of kernels that were analysed like this one";
  if (version == kAiwcOpencl) return "analyse it with apmt analyze --opencl --with aiwc";
  if (version == kAiwcNative) return "analyse it with apmt analyze --with aiwc";
  return "use a model and data of kernels that were analysed like this one";
}

}  // namespace

std::vector<std::optional<double>> aiwc_features(const kernels::KernelAnalysis& kernel,
                                                 const FeatureDefinitions& definitions,
                                                 const std::filesystem::path& file) {
  const std::string where = file.string() + ", kernel " + kernel.name;
  if (!kernel.aiwc)
    throw InputError(where, "the analysis has no AIWC metrics of it", way_to(definitions.version));
  const Aiwc& aiwc = *kernel.aiwc;
  if (aiwc.is_compatible && !is_opencl(aiwc))
    throw InputError(where,
                     "--with aiwc-compat reproduces the published tool for OpenCL kernels only",
                     "analyse it with apmt analyze --with aiwc");
  if (definitions.name != kAiwcName || definitions.version != version_of(aiwc))
    throw InputError(where,
                     "its features are " + std::string(kAiwcName) + ", version " +
                         version_of(aiwc) + "; expected " + definitions.name + ", version " +
                         definitions.version,
                     way_to(definitions.version));
  if (!aiwc.is_complete || aiwc.instructions == 0)
    throw InputError(where, "its AIWC metrics are not complete: the limit of memory was reached",
                     "analyse a smaller input");
  const Metrics metrics = metrics_of(aiwc);
  std::vector<std::optional<double>> features;
  for (const FeatureDefinition& feature : definitions.features) {
    const auto metric = metrics.find(feature.name);
    if (metric == metrics.end())
      throw InputError(where, "'" + feature.name + "' is none of the features of AIWC",
                       "docs/learned.md lists them");
    const std::optional<double>& value = metric->second;
    features.push_back(value && std::isfinite(*value) ? value : std::nullopt);
  }
  return features;
}

}  // namespace apmt::learned
