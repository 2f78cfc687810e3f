#include "fitter/kernel_verdicts.h"

#include <algorithm>

#include "fitter/draw_estimates.h"

namespace apmt {
namespace {

constexpr double kHorizon = 1024;  // changes are sought up to this multiple of the largest P

}  // namespace

double KernelVerdicts::Verdict::of(const std::string& bound) const {
  if (bound == kBoundByMemory) return memory;
  if (bound == kBoundByNetwork) return network;
  return bound == kBoundByWaiting ? waiting : core;
}

std::string KernelVerdicts::Verdict::likeliest() const { return likeliest_but({}); }

std::string KernelVerdicts::Verdict::likeliest_but(const std::string& bound) const {
  std::string best;
  for (const char* each : {is_split ? kBoundByCore : kBoundByCompute, kBoundByMemory,
                           kBoundByNetwork, kBoundByWaiting})
    if (each != bound && (best.empty() || of(each) > of(best))) best = each;
  return best;
}

KernelVerdicts::KernelVerdicts(const Model& model, const ModelDraws& laws,
                               const ScenarioSizes& sizes, const WhatIfEffect& effect,
                               double confidence)
    : model_(model), laws_(laws), sizes_(sizes), effect_(effect), confidence_(confidence) {}

const KernelVerdicts::Communication& KernelVerdicts::communication(int procs) {
  const auto [at, is_new] = communication_.try_emplace(procs);
  if (!is_new) return at->second;
  const double work = sizes_.work_at(procs);
  at->second.p2p = laws_.sum(Part::kCommP2p, procs, work, effect_);
  at->second.coll = laws_.sum(Part::kCommColl, procs, work, effect_);
  at->second.other = laws_.sum(Part::kCommOther, procs, work, effect_);
  at->second.wait = laws_.sum(Part::kCommWait, procs, work, effect_);
  return at->second;
}

KernelVerdicts::Verdict KernelVerdicts::verdict(std::size_t index, int procs) {
  const KernelModel& kernel = model_.kernels[index];
  const std::optional<MemorySplit> split = effect_.split_of(index);
  const double work = sizes_.work_at(procs);
  Verdict v{.is_split = split.has_value()};
  if (!kernel.calls.any()) {
    v.memory = split ? split->memory_bound(procs, work) : 0;
    v.core = 1 - v.memory;
    return v;
  }
  const Draws time = laws_.law(Part::kComp, index, procs, work, effect_);
  const Communication& comm = communication(procs);
  std::vector<double> elasticities = {0};  // of the time, with respect to the costs of memory
  if (split) elasticities = split->memory_elasticities(procs, work);
  const auto ways = ways_of_draws(elasticities.size());
  for (std::size_t k = 0; k < kDraws; ++k) {
    const double memory = elasticities[ways[k]] * time[k];
    const double core = time[k] - memory;
    const double network = kernel.calls.p2p * comm.p2p[k] + kernel.calls.coll * comm.coll[k] +
                           kernel.calls.other * comm.other[k];
    const double waiting = kernel.calls.wait * comm.wait[k];
    const double most = std::max({core, memory, network, waiting});
    double& largest = most == core      ? v.core
                      : most == memory  ? v.memory
                      : most == network ? v.network
                                        : v.waiting;
    largest += 1.0 / kDraws;
  }
  return v;
}

void KernelVerdicts::judge(int procs, PredictedKernel* kernel) {
  const Verdict v = verdict(kernel->index, procs);
  kernel->bound = v.likeliest();
  const bool calls = model_.kernels[kernel->index].calls.any();
  if (calls) add_calls(communication(procs), kernel);
  if (!v.is_split && !calls) return;
  kernel->bound_probability = v.of(kernel->bound);
  find_change(procs, kernel);
}

void KernelVerdicts::add_calls(const Communication& comm, PredictedKernel* kernel) const {
  const OwnCalls& calls = model_.kernels[kernel->index].calls;
  const auto part_of = [](double share, Draws draws) {
    for (double& time_s : draws) time_s *= share;
    return draws;
  };
  const Draws p2p = part_of(calls.p2p, comm.p2p), coll = part_of(calls.coll, comm.coll);
  const Draws other = part_of(calls.other, comm.other), wait = part_of(calls.wait, comm.wait);
  kernel->transfer = estimate_of_whole({&p2p, &coll, &other}, confidence_);
  kernel->wait = estimate_of_whole({&wait}, confidence_);
  double largest_s = -1;
  for (const auto& [name, draws] : {std::pair("comm_p2p", &p2p), std::pair("comm_coll", &coll),
                                    std::pair("comm_other", &other)})
    if (const double time_s = median(*draws); time_s > largest_s) {
      largest_s = time_s;
      kernel->transfer_part = name;
    }
}

void KernelVerdicts::find_change(int procs, PredictedKernel* kernel) {
  const int most = static_cast<int>(std::min(kHorizon * model_.max_procs(), 1e9));
  const auto first_with = [&](double probability) -> std::optional<int> {
    const auto holds = [&](int at) {
      return 1 - verdict(kernel->index, at).of(kernel->bound) >= probability;
    };
    if (holds(procs)) return procs;
    for (int before = procs; before <= most / 2; before *= 2) {
      if (!holds(2 * before)) continue;
      int low = before, high = 2 * before;
      while (high - low > std::max(1, low / 16)) {
        const int middle = low + (high - low) / 2;
        (holds(middle) ? high : low) = middle;
      }
      return high;
    }
    return std::nullopt;
  };
  const std::optional<int> likely = first_with(0.5);
  if (!likely || *likely == procs) return;
  kernel->bound_becomes = verdict(kernel->index, *likely).likeliest_but(kernel->bound);
  kernel->bound_changes = ProcsEstimate{*likely, *first_with(0.5 - 0.5 * confidence_),
                                        first_with(0.5 + 0.5 * confidence_)};
}

}  // namespace apmt
