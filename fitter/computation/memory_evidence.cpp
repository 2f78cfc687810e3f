#include "fitter/computation/memory_evidence.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/square.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kLineBytes = 64;
constexpr double kRunToRun = 0.01;   // relative deviation of single runs
constexpr double kWorstCount = 0.3;  // a law of counts with a larger relative residual is useless

// Assumed values for figures that no machine profile gives.
constexpr double kAssumedLlc_s = 15e-9;
constexpr double kAssumedMemory_s = 100e-9;
constexpr double kAssumedBytesPerS = 8e9;  // of a single core

/// The accesses to memory that the core waits for. Accesses that a prefetcher makes in advance use
/// only bandwidth; they are excluded if they were counted separately.
const MetricModel* waited_for(const std::vector<MetricModel>& metrics) {
  const MetricModel* demand = metric_with_law(metrics, "acc_mm_demand");
  return demand != nullptr ? demand : metric_with_law(metrics, "acc_mm");
}

double seconds_per_byte(const MemoryCosts& costs, int busy_cores) {
  return costs.s_per_byte(busy_cores).value_or(1 / kAssumedBytesPerS);
}

/// The index of the first item with the process count and work of `item`; the number of items if
/// there is none.
template <typename T, typename U>
std::size_t first_like(const U& item, const std::vector<T>& items) {
  const auto found = std::ranges::find_if(
      items, [&](const T& other) { return other.procs == item.procs && other.work == item.work; });
  return static_cast<std::size_t>(found - items.begin());
}

/// If a place has several observations, gives those of single runs at least the variance
/// kRunToRun^2. The observations are compared with each other, and a single run does not show how
/// much times vary from run to run.
void allow_for_single_runs(MemoryPlace* place) {
  for (MemoryObservation& o : *place)
    if (place->size() > 1 && !o.is_repeated) o.variance = std::max(o.variance, square(kRunToRun));
}

/// Whether the counts can explain the time. A simulation of a few rounds counts only the part of a
/// function that runs in these rounds.
bool can_explain(const MemoryObservation& o) {
  constexpr double kSlowestCore_s = 5e-9;  // per instruction; about 20 cycles
  constexpr double kSlowestMemory = 20;    // relative to the costs that are known or assumed
  return std::exp(o.ln_time) <=
         kSlowestCore_s * o.core + kSlowestMemory * (o.unhidden_s + o.transfers_s);
}

/// How the seconds per byte of a core differ at other process counts from those at the last point.
/// With more processes than in the runs, which were all on one node, its other cores become busy,
/// as far as the bandwidth was measured with so many busy cores.
std::map<double, double> sharing_of(const std::vector<FitPoint>& points,
                                    const std::vector<int>& busy_cores, int node_cores,
                                    const MemoryCosts& costs) {
  const auto last = static_cast<double>(busy_cores.back());
  const double last_s = seconds_per_byte(costs, busy_cores.back());
  std::map<double, double> factors;  // by process count
  for (std::size_t i = 0; i < points.size(); ++i)
    factors[points[i].procs] = seconds_per_byte(costs, busy_cores[i]) / last_s;
  const double procs = factors.rbegin()->first;
  const double most =
      costs.bandwidth.empty() ? 0 : std::min<double>(node_cores, costs.bandwidth.back().first);
  for (double busy = 2 * last; busy < 2 * most; busy *= 2) {
    const double cores = std::min(busy, most);
    factors[procs * cores / last] = seconds_per_byte(costs, static_cast<int>(cores)) / last_s;
  }
  const bool is_constant =
      std::ranges::all_of(factors, [](const auto& at) { return std::abs(at.second - 1) < 1e-9; });
  return is_constant ? std::map<double, double>() : factors;
}

}  // namespace

const MetricModel* metric_named(const std::vector<MetricModel>& metrics, const std::string& name) {
  const auto found = std::ranges::find(metrics, name, &MetricModel::metric);
  return found == metrics.end() ? nullptr : &*found;
}

const MetricModel* metric_with_law(const std::vector<MetricModel>& metrics,
                                   const std::string& name) {
  const MetricModel* m = metric_named(metrics, name);
  const bool has_law = m != nullptr && !m->law.hypotheses.empty() &&
                       m->law.hypotheses.front().rel_residual <= kWorstCount;
  return has_law ? m : nullptr;
}

void add_scaled(const CountLaw& law, double factor, Hypothesis* sum) {
  const Hypothesis& likeliest = law.hypotheses.front();
  for (LawTerm term : likeliest.terms) {
    term.coefficient *= factor;
    sum->terms.push_back(term);
  }
  sum->free_numbers += likeliest.free_numbers;
  sum->rel_residual = std::max(sum->rel_residual, likeliest.rel_residual);
}

double unhidden_s(double waited_for, double last_cache_hits, const MemoryCosts& costs) {
  return waited_for * costs.memory_s.value_or(kAssumedMemory_s) +
         last_cache_hits * costs.llc_s.value_or(kAssumedLlc_s);
}

std::optional<Hypothesis> unhidden_seconds(const std::vector<MetricModel>& metrics,
                                           const MemoryCosts& costs) {
  if (metric_with_law(metrics, "acc_mm") == nullptr) return std::nullopt;
  Hypothesis seconds;
  add_scaled(waited_for(metrics)->law, costs.memory_s.value_or(kAssumedMemory_s), &seconds);
  if (const MetricModel* llc = metric_with_law(metrics, "hit_LLC"))
    add_scaled(llc->law, costs.llc_s.value_or(kAssumedLlc_s), &seconds);
  return seconds;
}

std::optional<MemoryEvidence> memory_evidence(const KernelModel& kernel,
                                              const std::vector<int>& busy_cores, int node_cores,
                                              const MemoryCosts& costs,
                                              const std::vector<PaceAtFrequency>& at_frequencies) {
  MemoryEvidence e;
  e.is_per_flop = metric_named(kernel.metrics, "instructions") == nullptr;
  const MetricModel* core =
      metric_with_law(kernel.metrics, e.is_per_flop ? "flops" : "instructions");
  const std::optional<Hypothesis> unhidden = unhidden_seconds(kernel.metrics, costs);
  if (core == nullptr || !unhidden) return std::nullopt;
  add_scaled(core->law, 1, &e.core);
  e.unhidden_s = *unhidden;
  const MetricModel& memory = *metric_with_law(kernel.metrics, "acc_mm");
  add_scaled(memory.law, kLineBytes * seconds_per_byte(costs, busy_cores.back()), &e.transfers_s);
  e.sharing = sharing_of(kernel.points, busy_cores, node_cores, costs);
  const MetricModel& waited = *waited_for(kernel.metrics);
  const MetricModel* llc = metric_with_law(kernel.metrics, "hit_LLC");
  const auto with_counts = [&](double procs, int cores, const auto& value) {
    MemoryObservation o;
    o.core = value(*core) / procs;
    o.unhidden_s = unhidden_s(value(waited), llc != nullptr ? value(*llc) : 0, costs) / procs;
    o.transfers_s = value(memory) / procs * kLineBytes * seconds_per_byte(costs, cores);
    return o;
  };
  const auto at_point = [&](std::size_t i) {  // with the counts measured there
    return with_counts(kernel.points[i].procs, busy_cores[i],
                       [&](const MetricModel& m) { return m.points[i].value; });
  };
  std::map<std::size_t, MemoryPlace> places;  // first the points
  for (std::size_t i = 0; i < kernel.points.size(); ++i) {
    const FitPoint& t = kernel.points[i];
    MemoryObservation o = at_point(i);
    if (t.value <= 0 || o.core <= 0) continue;
    o.ln_time = std::log(t.value);
    if (!can_explain(o)) return std::nullopt;
    o.variance = square(std::max({t.rel_sigma, t.rel_sampling}) * median_factor(t.repetitions));
    o.is_repeated = t.repetitions > 1;
    places[i].push_back(o);
  }
  for (const PaceAtFrequency& run : at_frequencies) {
    const std::size_t point = first_like(run, kernel.points);
    const bool is_profiled = point < kernel.points.size();
    MemoryObservation o =
        is_profiled ? at_point(point)
                    : with_counts(run.procs, busy_cores.back(), [&](const MetricModel& m) {
                        return m.law.value(run.procs, run.work);
                      });
    if (run.s_per_instruction <= 0 || o.core <= 0) continue;
    o.ln_time = std::log(run.s_per_instruction * o.core);
    o.core *= run.slowdown;
    o.variance = square(run.rel_sigma);
    places[is_profiled ? point : kernel.points.size() + first_like(run, at_frequencies)].push_back(
        o);
  }
  if (places.empty()) return std::nullopt;
  for (auto& [index, place] : places) {
    allow_for_single_runs(&place);
    e.places.push_back(std::move(place));
  }
  return e;
}

}  // namespace apmt
