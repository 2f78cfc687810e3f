#include "fitter/computation/cost_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/square.h"
#include "fitter/computation/cost_mode.h"
#include "fitter/computation/kernel_counts.h"
#include "fitter/laws/law_ahead.h"
#include "fitter/mechanisms.h"
#include "fitter/times/draw_places.h"
#include "fitter/times/time_fit.h"

namespace apmt {
namespace {

constexpr double kAssumedFrequency_hz = 3e9;
constexpr double kNotableAccesses = 0.05;  // share of a kernel's time

std::uint32_t seed_of_ways(const KernelModel& kernel) {
  return seed_of("memory\n" + kernel.id.object + '\n' + kernel.id.linkage_name + '\n' +
                 kernel.id.source + '\n' + kernel.name);
}

/// The work of the points if it is the same at all of them; otherwise 0.
double only_work(const std::vector<FitPoint>& points) {
  const auto is_other = [&](const FitPoint& p) { return p.work != points.front().work; };
  return std::ranges::any_of(points, is_other) ? 0 : points.front().work;
}

std::optional<MemorySplit> from_stalls(const KernelModel& kernel, double frequency_hz) {
  const MetricModel* stall = metric_with_law(kernel.metrics, "stall");
  const MetricModel* cycles = metric_with_law(kernel.metrics, "cycles");
  if (stall == nullptr || cycles == nullptr) return std::nullopt;
  MemorySplit split;
  split.from = "stalls";
  split.only_work = only_work(kernel.points);
  add_scaled(cycles->law, 1, &split.core);
  add_scaled(stall->law, -1, &split.core);
  add_scaled(stall->law, 1, &split.unhidden);
  double squares = 0;
  for (const FitPoint& p : stall->points) squares += square(p.rel_sampling);
  const double sd = std::sqrt(squares) / static_cast<double>(stall->points.size());
  for (const double z : normals_of_ways(seed_of_ways(kernel)))
    split.ways.push_back({1 / frequency_hz, std::exp(sd * z) / frequency_hz, 0});
  return split;
}

/// The costs at the largest process count of a kernel whose stalls, instructions and accesses were
/// counted: the blocking factor is that of equation (3) of the APMT paper, for the accesses beyond
/// the core's clock. Absent if instructions or accesses were not counted.
std::optional<KernelCostEstimates> costs_from_stalls(const KernelModel& kernel,
                                                     const MemoryCosts& costs,
                                                     double frequency_hz) {
  const MetricModel* instructions = metric_with_law(kernel.metrics, "instructions");
  const std::optional<Hypothesis> accesses_s = unhidden_seconds(kernel.metrics, costs);
  if (instructions == nullptr || !accesses_s) return std::nullopt;
  const FitPoint& last = kernel.points.back();
  const auto there = [&](const auto& law) { return law.value(last.procs, last.work); };
  if (!(there(instructions->law) > 0 && there(*accesses_s) > 0)) return std::nullopt;
  KernelCostEstimates estimates;
  estimates.form_probability = 1;
  estimates.core_s.value = there(kernel.law.split->core) / frequency_hz / there(instructions->law);
  if (!(estimates.core_s.value > 0)) return std::nullopt;
  estimates.memory.value = there(kernel.law.split->unhidden) / frequency_hz / there(*accesses_s);
  return estimates;
}

/// A kernel whose accesses were counted.
struct CountedKernel {
  KernelModel* model;
  MemoryEvidence evidence;
  KernelCosts costs;
  bool has_frequencies;
  /// Whether accesses that matter for the time will leave their law.
  bool changes_ahead() const {
    const FitPoint& last = model->points.back();
    const double unhidden_s = evidence.unhidden_s.value(last.procs, last.work) / last.procs;
    return unhidden_s > kNotableAccesses * last.value &&
           std::ranges::any_of(model->metrics, [](const MetricModel& m) {
             return (m.metric.starts_with("acc_mm") || m.metric == "hit_LLC") && !m.ahead.empty() &&
                    apmt::changes_ahead(m.law, m.points);
           });
  }
};

/// The prior weight of the law that costs give, if other data than the runs' times speak for it.
std::optional<double> prior_beyond_times(const CountedKernel& kernel) {
  const auto odds = [](double probability) { return probability / (1 - probability); };
  const CommonPriors& priors = common_priors();
  // Curves and laws of instructions do not know that the accesses will leave their law.
  if (kernel.changes_ahead()) return odds(priors.counts_ahead) / odds(priors.counts);
  if (kernel.has_frequencies) return odds(priors.tested_counts) / odds(priors.counts);
  return std::nullopt;
}

/// Beyond the runs, data that were accessed in memory may begin to fit into caches. Each set of
/// costs gets another guess at where this happens. If data were less than twice as large as the
/// caches, parts of them would already fit, and the counts would show it.
void allow_for_caches(const KernelModel& kernel, std::vector<MemorySplit::Costs>* ways) {
  double least = least_work_per_process(kernel.points);
  // Simulations with larger caches have shown that data do not fit with less work either.
  for (const MetricModel& m : kernel.metrics)
    if (!m.ahead.empty()) least = std::min(least, least_work_per_process(m.ahead));
  const std::array<std::uint16_t, kWays> order = order_of_ways(seed_of_ways(kernel) + 1);
  for (std::size_t i = 0; i < ways->size(); ++i) {
    const double ln_waits = std::log1p(-(order[i] + 0.5) / kWays) / common_priors().begins_to_fit;
    (*ways)[i].fits_below = 0.5 * least * std::exp(ln_waits);
  }
}

/// Makes the costs of core and memory one of the laws of the kernel's time. It replaces the
/// families in which instructions and accesses have costs of their own. Those with instructions
/// alone stay, because memory may not matter at all, unless runs at other frequencies show how much
/// it does, or larger simulated caches show that accesses will leave their law. Runs at other
/// frequencies could also have shown that the costs do not explain the time.
void use_for_time(const CountedKernel& kernel) {
  TimeLaw& law = kernel.model->law;
  MemorySplit& split = *law.split;
  const bool is_close = std::max({split.core.rel_residual, split.unhidden.rel_residual,
                                  split.transfers.rel_residual}) <= kWorstLawOfTime;
  if (law.kind != TimeLaw::Kind::kRecipe || kernel.model->role == KernelRole::kRest || !is_close ||
      !mechanisms().instructions || !mechanisms().times_by_costs)
    return;
  const std::optional<double> prior = prior_beyond_times(kernel);
  std::erase_if(law.families,
                [&](const CountFamily& f) { return f.features.size() > 1 || prior.has_value(); });
  double others = 0;
  for (const CountFamily& f : law.families) others += f.prior;
  split.prior = prior.value_or(kernel.costs.occam * std::max(1 - others, 0.0));
  if (split.prior > 0 && !split.is_foreseen && mechanisms().caches_ahead)
    allow_for_caches(*kernel.model, &split.ways);
  write_costs(&law);
}

/// The division of a kernel's time into computation and memory time; absent if no costs explain the
/// times.
std::optional<MemorySplit> split_of(const CountedKernel& kernel, const SharedCosts& shared) {
  MemorySplit split;
  split.from = kernel.has_frequencies && kernel.costs.accesses_memory ? "frequencies" : "counts";
  split.core = kernel.evidence.core;
  split.unhidden = kernel.evidence.unhidden_s;
  split.transfers = kernel.evidence.transfers_s;
  split.sharing = kernel.evidence.sharing;
  split.only_work = only_work(kernel.model->points);
  split.is_foreseen = kernel.changes_ahead();
  if (!kernel.costs.accesses_memory) {  // the core takes all of the time
    const MemoryObservation& last = kernel.evidence.places.back().back();
    split.ways.assign(kWays, {std::exp(last.ln_time) / last.core, 0, 0});
    return split;
  }
  if (kernel.costs.nodes.empty()) return std::nullopt;
  const FitPoint& last = kernel.model->points.back();
  for (const CostNode& n : kernel.costs.nodes) split.ways.push_back(n.costs());
  split.ways =
      shared.ways(kernel.costs, split.shares(last.procs, last.work), seed_of_ways(*kernel.model));
  return split;
}

}  // namespace

void fit_costs(const MemoryCosts& costs, const PacesAtFrequencies& at_frequencies, Model* model,
               FitDepth depth) {
  const FactorPriors factors = factor_priors(costs);
  const auto known_hz = model->frequency_hz ? model->frequency_hz : costs.frequency_hz;
  const double frequency_hz = known_hz.value_or(kAssumedFrequency_hz);
  const bool has_own_laws = model->method == kOwnMethod;
  std::vector<int> busy_cores;  // by point
  for (const ModelPoint& p : model->points) busy_cores.push_back(p.busy_cores);
  model->memory_costs = costs.source;
  std::vector<CountedKernel> counted;
  for (KernelModel& kernel : model->kernels) {
    kernel.costs.reset();
    const auto has_all_points = [&](const MetricModel& m) {
      return m.points.size() == kernel.points.size();
    };
    if (kernel.points.empty() || kernel.points.size() != busy_cores.size() ||
        !std::ranges::all_of(kernel.metrics, has_all_points))
      continue;
    const bool is_refined = kernel.refined && kernel.refined->from == "frequencies";
    if (std::optional<MemorySplit> split = from_stalls(kernel, frequency_hz);
        split && !is_refined) {
      kernel.law.split = std::move(split);
      if (has_own_laws) kernel.costs = costs_from_stalls(kernel, costs, frequency_hz);
      continue;
    }
    std::vector<PaceAtFrequency> runs;
    if (const auto found = at_frequencies.find(kernel.id);
        found != at_frequencies.end() && kernel.role != KernelRole::kRest)
      runs = found->second;
    const int node_cores = model->max_nodes == 1 ? model->cores_per_node : 0;
    if (const auto evidence = memory_evidence(kernel, busy_cores, node_cores, costs, runs))
      counted.push_back({&kernel, *evidence,
                         kernel_costs(*evidence, factors, frequency_hz, known_hz.has_value()),
                         !runs.empty()});
  }
  std::vector<const KernelCosts*> explained;
  std::vector<KernelForMode> for_mode;
  for (CountedKernel& kernel : counted)
    if (!kernel.costs.nodes.empty()) {
      explained.push_back(&kernel.costs);
      for_mode.push_back({kernel.evidence, kernel.costs, &kernel.model->costs});
    }
  const SharedCosts shared(explained, factors);
  for (const CountedKernel& kernel : counted) {
    std::optional<MemorySplit> split =
        mechanisms().shared_costs ? split_of(kernel, shared)
                                  : split_of(kernel, SharedCosts({&kernel.costs}, factors));
    if (!split) continue;
    kernel.model->law.split = std::move(split);
    if (has_own_laws) use_for_time(kernel);
  }
  if (!has_own_laws || depth != FitDepth::kWhole) return;
  model->shared_costs = fit_memory_mode(shared, factors, for_mode);
  for (CommModel& comm : model->comm)
    if (comm.law) fit_message_mode(&*comm.law);
}

}  // namespace apmt
