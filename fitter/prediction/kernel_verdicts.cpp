#include "fitter/prediction/kernel_verdicts.h"

#include <algorithm>
#include <array>
#include <map>

#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/draw_search.h"

namespace apmt {
namespace {

constexpr std::array kTransfers = {Part::kCommP2p, Part::kCommColl, Part::kCommOther};

/// The probability of each bound. The first is computation; it includes memory if the two are not
/// separated.
struct Verdict {
  struct Bound {
    const char* name;
    double probability = 0;
  };
  std::array<Bound, 4> bounds = {
      {{kBoundByCompute}, {kBoundByMemory}, {kBoundByNetwork}, {kBoundByWaiting}}};

  double of(const std::string& bound) const {
    return std::ranges::find(bounds, bound, &Bound::name)->probability;
  }
  /// The likeliest bound other than `bound`.
  const char* likeliest_but(const std::string& bound) const {
    const auto place = [&](const Bound& b) { return b.name == bound ? -1 : b.probability; };
    return std::ranges::max_element(bounds, {}, place)->name;
  }
};

class KernelVerdicts {
 public:
  KernelVerdicts(const Model& model, const ModelDraws& laws, const ScenarioSizes& sizes,
                 const WhatIfEffect& effect, double confidence)
      : model_(model), laws_(laws), sizes_(sizes), effect_(effect), confidence_(confidence) {}

  void judge(int procs, PredictedKernel* kernel) {
    const Verdict v = verdict(kernel->index, procs, true);
    kernel->bound = v.likeliest_but({});
    const bool calls = model_.kernels[kernel->index].calls.any();
    if (calls) add_calls(procs, kernel);
    if (!calls && !model_.kernels[kernel->index].law.split) return;
    kernel->bound_probability = v.of(kernel->bound);
    find_change(procs, kernel);
  }

 private:
  /// The draws of each law of communication.
  using Communication = std::vector<std::pair<const ModelLaw*, Draws>>;

  const Communication& communication(int procs) {
    const auto [at, is_new] = communication_.try_emplace(procs);
    if (!is_new) return at->second;
    for (const ModelLaw& law : laws_.laws())
      if (!comm_name(law.part).empty())
        at->second.emplace_back(&law, draws_of(law, procs, sizes_.work_at(procs), &effect_));
    return at->second;
  }

  /// The time of a kernel's own calls in a part.
  Draws own_calls(const OwnCalls& calls, Part part, int procs) {
    Draws sum{};
    for (const auto& [law, time_s] : communication(procs)) {
      if (law->part != part) continue;
      const double share = calls.share(comm_name(part), law->its.group);
      for (std::size_t k = 0; k < kDraws && share > 0; ++k) sum[k] += share * time_s[k];
    }
    return sum;
  }

  /// `may_fit`: whether data may begin to fit into caches (MemorySplit::Costs::fits_below).
  Verdict verdict(std::size_t index, int procs, bool may_fit) {
    const KernelModel& kernel = model_.kernels[index];
    std::optional<MemorySplit> split = effect_.split_of(index);
    if (split && !may_fit)
      for (MemorySplit::Costs& costs : split->ways) costs.fits_below = 0;
    const double work = sizes_.work_at(procs);
    Verdict v;
    if (split) v.bounds[0].name = kBoundByCore;
    if (!kernel.calls.any()) {
      v.bounds[1].probability = split ? split->memory_bound(procs, work) : 0;
      v.bounds[0].probability = 1 - v.bounds[1].probability;
      return v;
    }
    const Draws time = draws_of(laws_.laws()[index], procs, work, &effect_);
    std::vector<Draws> transfers_s;
    for (const Part part : kTransfers) transfers_s.push_back(own_calls(kernel.calls, part, procs));
    const Draws wait_s = own_calls(kernel.calls, Part::kCommWait, procs);
    Draws elasticities{};  // of the time, with respect to the costs of memory
    if (split) elasticities = in_draws(split->memory_elasticities(procs, work));
    for (std::size_t k = 0; k < kDraws; ++k) {
      const double memory_s = elasticities[k] * time[k];
      const std::array seconds = {time[k] - memory_s, memory_s,
                                  transfers_s[0][k] + transfers_s[1][k] + transfers_s[2][k],
                                  wait_s[k]};
      const auto most = std::ranges::max_element(seconds) - seconds.begin();
      v.bounds.at(static_cast<std::size_t>(most)).probability += 1.0 / kDraws;
    }
    return v;
  }

  void add_calls(int procs, PredictedKernel* kernel) {
    const OwnCalls& calls = model_.kernels[kernel->index].calls;
    std::vector<Draws> parts;
    double largest_s = -1;
    for (const Part part : kTransfers) {
      parts.push_back(own_calls(calls, part, procs));
      if (const double time_s = median(parts.back()); time_s > largest_s) {
        largest_s = time_s;
        kernel->transfer_part = "comm_" + comm_name(part);
      }
    }
    const Draws wait = own_calls(calls, Part::kCommWait, procs);
    kernel->transfer = estimate_of_whole({&parts[0], &parts[1], &parts[2]}, confidence_);
    kernel->wait = estimate_of_whole({&wait}, confidence_);
  }

  /// What the runs say about other process counts. That data may begin to fit somewhere is no
  /// finding about a process count.
  void find_change(int procs, PredictedKernel* kernel) {
    const int most = static_cast<int>(std::min(kHorizon * model_.max_procs(), 1e9));
    const auto first_with = [&](double probability) -> std::optional<int> {
      const auto holds = [&](int at) {
        return 1 - verdict(kernel->index, at, false).of(kernel->bound) >= probability;
      };
      if (holds(procs)) return procs;
      for (int before = procs; before <= most / 2; before *= 2)
        if (holds(2 * before)) return first_between(before, 2 * before, holds);
      return std::nullopt;
    };
    const std::optional<int> likely = first_with(0.5);
    if (!likely || *likely == procs) return;
    kernel->bound_becomes = verdict(kernel->index, *likely, false).likeliest_but(kernel->bound);
    kernel->bound_changes = ProcsEstimate{*likely, *first_with(0.5 - 0.5 * confidence_),
                                          first_with(0.5 + 0.5 * confidence_)};
  }

  const Model& model_;
  const ModelDraws& laws_;
  const ScenarioSizes& sizes_;
  const WhatIfEffect& effect_;
  double confidence_;
  std::map<int, Communication> communication_;  // by process count
};

}  // namespace

void judge_kernels(const Model& model, const ModelDraws& laws, const ScenarioSizes& sizes,
                   const WhatIfEffect& effect, Prediction* p) {
  KernelVerdicts verdicts(model, laws, sizes, effect, p->confidence);
  for (PredictedKernel& kernel : p->kernels) verdicts.judge(p->procs, &kernel);
}

}  // namespace apmt
