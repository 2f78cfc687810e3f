#include "fitter/prediction/what_if_effect.h"

#include <algorithm>
#include <map>

#include "base/input_error.h"
#include "base/words.h"

namespace apmt {
namespace {

/// The share of a time that is waiting for the process that computes longest (wait_families.h).
double share_of_waiting(const TimeLaw& law, double procs, double work) {
  const LawFrame frame(law);
  double share = 0;
  for (const CountFamily& family : law.families)
    share += family.posterior * frame.share_of("excess", family, procs, work).value_or(0);
  return share;
}

constexpr double kFarOff = 5;  // ratio; a fitted cost this far from the hardware's has other causes

/// Whether some run has stalls or accesses of memory.
bool counts_memory(const Model& model) {
  return model.grade == Grade::kA || model.grade == Grade::kB;
}

[[noreturn]] void cannot(const std::string& what, const std::string& hint) {
  throw InputError("", what, hint, ExitCode::kNotEnoughData);
}

}  // namespace

std::string memory_is_unknown(const Model& model) {
  return "the runs do not show how much of compute time waits for memory (grade " +
         to_string(model.grade) +
         (counts_memory(model) ? ": no kernel with a law of its own has counts of stalls "
                                 "or accesses at every process count)"
                               : ": neither stalls nor accesses were counted)");
}

std::string transfers_are_unknown(const Model& model) {
  return "the runs do not show how much of compute time the memory's bandwidth limits (grade " +
         to_string(model.grade) + ")";
}

WhatIfEffect::WhatIfEffect(const Model& model, const std::vector<ModelLaw>& laws,
                           const WhatIf& what_if, double procs, double work)
    : model_(model), source_(what_if.source), profile_s_per_message_(what_if.profiled_latency_s) {
  if (!what_if.any()) return;
  if (what_if.profiled_bandwidth_bytes_per_s)
    profile_s_per_byte_ = 1 / *what_if.profiled_bandwidth_bytes_per_s;
  warnings_ = what_if.warnings;
  find_splits(laws, procs, work);
  std::vector<double> kernels_s;
  for (const ModelLaw& law : laws)
    if (law.part == Part::kComp) kernels_s.push_back(law.time.centre(procs, work));
  set_network(what_if);
  set_cores(what_if, kernels_s);
  set_waiting(kernels_s, procs, work);
  network_.cores_per_node = what_if.cores_per_node.value_or(0);
  if (what_if.cores_per_node)
    assumptions_.push_back(
        {"cores per node", *what_if.cores_per_node,
         model.cores_per_node > 0 ? std::optional<double>(model.cores_per_node) : std::nullopt,
         std::nullopt, "", source_.empty() ? "asked for" : source_,
         counted(*what_if.cores_per_node, "core") + " a node" +
             (model.cores_per_node > 0 ? ", were " + std::to_string(model.cores_per_node) : "")});
}

void WhatIfEffect::find_splits(const std::vector<ModelLaw>& laws, double procs, double work) {
  const auto time_s = [&](const ModelLaw& law) {
    return law.is_nothing_at(procs) ? 0 : law.time.centre(procs, work);
  };
  double total_s = 0;
  for (const ModelLaw& law : laws) total_s += time_s(law);
  for (const ModelLaw& law : laws) {
    if (law.part != Part::kCommP2p && law.part != Part::kCommColl) continue;
    CostSplit split = cost_split(law.part, law.its);
    if (split.by == CostSplit::By::kProfile && !(profile_s_per_message_ && profile_s_per_byte_))
      split.by = CostSplit::By::kNobody;
    comm_.push_back({&law, std::move(split), total_s > 0 ? time_s(law) / total_s : 0});
  }
}

void WhatIfEffect::try_change(const std::optional<KnobChange>& change,
                              const std::function<void(const KnobChange&)>& apply) {
  try {
    if (change) apply(*change);
  } catch (const InputError& error) {
    if (change->asked) throw;
    warnings_.push_back("not used from the " + source_ + ": " + error.what());
  }
}

void WhatIfEffect::require_splits() const {
  if (comm_.empty())
    cannot("the model has no time of communication, so no other network can be tried",
           "profile without oversubscription at two process counts or more");
  std::map<Part, double> not_split;  // shares of the predicted time
  for (const CommLaw& comm : comm_)
    if (comm.split.by == CostSplit::By::kNobody) not_split[comm.law->part] += comm.share;
  for (const CommLaw& comm : comm_)
    if (comm.split.by == CostSplit::By::kNobody && not_split[comm.law->part] >= kNegligibleShare)
      cannot(comm.split.why_not, comm.split.hint);
}

std::optional<double> WhatIfEffect::cost_before(const char* feature) const {
  for (const CommLaw& comm : comm_) {
    if (comm.split.by != CostSplit::By::kCounts) continue;
    const double cost = fitted_cost(*comm.law->its.law, feature);
    if (cost > 0) return cost;
  }
  return std::nullopt;
}

double WhatIfEffect::turn(Knob knob, const KnobChange& change, std::optional<double> before,
                          const std::string& example, const std::string& origin) {
  const bool by_factor = change.kind == KnobChange::Kind::kFactor;
  if (!by_factor && !before)
    cannot(std::string("the ") + words(knob) + " of the runs is unknown, so " +
               format_value(knob, change.amount) + " cannot be compared with it",
           "give a factor, e.g. " + example + ", or --profiled-on FILE");
  const double factor = by_factor ? change.amount : change.amount / *before;
  Assumption a{words(knob),
               {},
               before,
               factor,
               unit(knob),
               change.asked ? "asked for" : source_,
               std::string(words(knob)) + " x" + brief_number(factor)};
  if (before) {
    a.value = *before * factor;
    a.text += ": " + format_value(knob, *a.value) + ", was " + format_value(knob, *before) +
              (origin.empty() ? "" : " " + origin);
  }
  assumptions_.push_back(std::move(a));
  return is_rate(knob) ? 1 / factor : factor;
}

void WhatIfEffect::set_network(const WhatIf& what_if) {
  // Sets the factor on the cost of a message or byte.
  const auto set = [&](Knob knob, const char* feature, std::optional<double> profile_cost,
                       double* factor) {
    try_change(what_if.of(knob), [&](const KnobChange& change) {
      require_splits();
      const std::optional<double> fitted = cost_before(feature);
      std::optional<double> before = fitted ? fitted : profile_cost;
      if (before && is_rate(knob)) before = 1 / *before;
      *factor = turn(knob, change, before, "x0.5", fitted ? origin_of_cost(feature) : "");
      if (fitted && change.kind == KnobChange::Kind::kValue &&
          (*factor > kFarOff || *factor * kFarOff < 1))
        warnings_.push_back("the " + std::string(words(knob)) + " asked for is " +
                            format_value(knob, change.amount) + ", the fitted one is " +
                            format_value(knob, *before) +
                            ": the fitted cost includes software, waiting and contention, which "
                            "another network would not save; give a factor or --profiled-on");
    });
  };
  set(Knob::kLatency, "alpha", profile_s_per_message_, &network_.latency);
  set(Knob::kBandwidth, "beta", profile_s_per_byte_, &network_.volume);
  if (!network_.splits()) return;
  for (const CommLaw& comm : comm_) {
    if (comm.split.by == CostSplit::By::kNobody)
      warnings_.push_back("unchanged: " + comm.law->its.words_of(comm.law->part) + "; " +
                          comm.split.why_not);
    else if (!comm.split.doubt.empty())
      warnings_.push_back(comm.split.doubt);
  }
}

void WhatIfEffect::set_cores(const WhatIf& what_if, const std::vector<double>& kernels_s) {
  double total_s = 0;
  double unknown_s = 0;            // core and memory are not known apart
  double unknown_transfers_s = 0;  // these, or accesses and transfers, are not
  for (std::size_t i = 0; i < kernels_s.size(); ++i) {
    const std::optional<MemorySplit>& split = model_.kernels[i].law.split;
    total_s += kernels_s[i];
    if (!split) unknown_s += kernels_s[i];
    if (!split || !split->knows_transfers()) unknown_transfers_s += kernels_s[i];
  }
  const auto share = [&](double part_s) { return total_s > 0 ? part_s / total_s : 1; };
  const double unknown = share(unknown_s), unknown_transfers = share(unknown_transfers_s);

  try_change(what_if.of(Knob::kFrequency), [&](const KnobChange& change) {
    if (model_.kernels.empty())
      cannot("the model has no compute time, so no other frequency can be tried",
             "profile with sampling on");
    slower_.core = turn(Knob::kFrequency, change, model_.frequency_hz, "x1.2", "as measured");
    if (unknown > 0)
      warnings_.push_back("for " + percent(unknown) +
                          " of compute time, waiting for memory was not counted: all of it is "
                          "assumed to scale with the frequency, which overstates the gain of "
                          "memory-bound kernels");
  });

  try_change(what_if.of(Knob::kMemoryLatency), [&](const KnobChange& change) {
    if (unknown >= 1)
      cannot(memory_is_unknown(model_),
             counts_memory(model_)
                 ? "longer runs give more kernels laws of their own; apmt simulate DIR counts at "
                   "further process counts"
                 : "count them: apmt simulate DIR, or a machine whose hardware counters work (apmt "
                   "doctor)");
    slower_.latency = turn(Knob::kMemoryLatency, change, std::nullopt, "x1.5");
    if (slower_.latency == 1) return;
    if (unknown > 0)
      warnings_.push_back("memory latency does not change " + percent(unknown) +
                          " of compute time, in which waiting for memory was not counted");
    if (unknown_transfers > unknown)
      warnings_.push_back("for " + percent(unknown_transfers - unknown) +
                          " of compute time, the runs do not tell memory latency from bandwidth: "
                          "all time blocked by memory is assumed to scale with the latency");
  });

  try_change(what_if.of(Knob::kMemoryBandwidth), [&](const KnobChange& change) {
    if (unknown_transfers >= 1)
      cannot(transfers_are_unknown(model_),
             std::ranges::any_of(model_.kernels,
                                 [](const KernelModel& k) { return k.law.split.has_value(); })
                 ? "use --mem-latency, which changes all waiting for memory"
                 : "count accesses to memory: apmt simulate DIR");
    slower_.transfer = turn(Knob::kMemoryBandwidth, change, std::nullopt, "x1.5");
    if (slower_.transfer != 1 && unknown_transfers > 0)
      warnings_.push_back("memory bandwidth does not change " + percent(unknown_transfers) +
                          " of compute time, in which the memory's transfers were not counted");
  });

  const bool has_latency = what_if.of(Knob::kMemoryLatency).has_value();
  const bool has_bandwidth = what_if.of(Knob::kMemoryBandwidth).has_value();
  if (!source_.empty() && has_latency != has_bandwidth && unknown_s < total_s)
    warnings_.push_back("the " + source_ + " has no " +
                        (has_latency ? "memory bandwidth for so many processes: the time of "
                                       "transfers from memory"
                                     : "memory latency: waiting for single accesses to memory") +
                        " stays as in the runs");
}

void WhatIfEffect::set_waiting(const std::vector<double>& kernels_s, double procs, double work) {
  if (slower_.is_none()) return;
  double before_s = 0;
  Draws after_s{};
  for (std::size_t i = 0; i < kernels_s.size(); ++i) {
    const Draws factors = kernel_factors(model_.kernels[i], procs, work);
    before_s += kernels_s[i];
    for (std::size_t k = 0; k < kDraws; ++k) after_s[k] += kernels_s[i] * factors[k];
  }
  for (std::size_t k = 0; k < kDraws; ++k) waiting_[k] = before_s > 0 ? after_s[k] / before_s : 1;
}

double WhatIfEffect::share_of_latency(const TimeLaw& law, double procs, double work) const {
  CountFamily as_profiled = *likeliest_family(law);
  for (Feature& f : as_profiled.features)
    f.cost = f.name == "alpha" ? *profile_s_per_message_ : *profile_s_per_byte_;
  return LawFrame(law).share_of("alpha", as_profiled, procs, work).value_or(1);
}

std::optional<MemorySplit> WhatIfEffect::split_of(std::size_t kernel) const {
  std::optional<MemorySplit> split = model_.kernels[kernel].law.split;
  if (split)
    for (MemorySplit::Costs& costs : split->ways) costs = costs.slowed(slower_);
  return split;
}

Draws WhatIfEffect::kernel_factors(const KernelModel& kernel, double procs, double work) const {
  const std::optional<MemorySplit>& split = kernel.law.split;
  return in_draws(split ? split->slowdowns(slower_, procs, work) : std::vector{slower_.core});
}

void WhatIfEffect::slow_down(const ModelLaw& law, double procs, double work, Draws* draws) const {
  const Part part = law.part;
  const bool waits = part == Part::kCommWait || part == Part::kEnd;
  if (slower_.is_none() || (part != Part::kComp && !waits)) return;
  const Draws factors = waits ? waiting_ : kernel_factors(*law.its.kernel, procs, work);
  const double share = part == Part::kEnd ? share_of_waiting(*law.its.law, procs, work) : 1;
  for (std::size_t k = 0; k < kDraws; ++k) (*draws)[k] *= 1 + share * (factors[k] - 1);
}

CostFactors WhatIfEffect::factors(const ModelLaw& law, double procs, double work) const {
  CostFactors f{.cores_per_node = network_.cores_per_node};
  const auto comm = std::ranges::find(comm_, &law, &CommLaw::law);
  if (!network_.splits() || comm == comm_.end()) return f;
  if (comm->split.by == CostSplit::By::kCounts) return network_;
  if (comm->split.by == CostSplit::By::kProfile) {
    const double share = share_of_latency(*law.its.law, procs, work);
    f.whole = share * network_.latency + (1 - share) * network_.volume;
  }
  return f;
}

}  // namespace apmt
