#include "fitter/times/recipe_priors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "base/input_error.h"
#include "fitter/mechanisms.h"
#include "fitter/prior_data.h"

namespace apmt {
namespace {

NormalPrior normal(const PriorData& data) {
  const std::vector<PriorData> pair = data.items();
  return {pair.at(0).number(), pair.at(1).number()};
}

/// A plain law, with its odds as weight.
struct SwitchedLaw {
  PlainLaw law;
  bool can_be_switched_off = false;  // by Mechanisms
};

SwitchedLaw plain_law(const PriorData& data) {
  SwitchedLaw read{{.weight = data.number("odds"), .exponent = data.number("power")},
                   data.has("switched")};
  if (!data.has("beside")) return read;
  using S = PlainLaw::Second;
  static const std::map<std::string, S> kinds = {
      {"constant", S::kConstant}, {"log", S::kLog}, {"others", S::kOthers}};
  const PriorData beside = data.at("beside");
  const auto kind = kinds.find(beside.text());
  read.law.second = kind == kinds.end() ? S::kPower : kind->second;
  if (kind == kinds.end()) read.law.second_exponent = beside.number();
  return read;
}

/// One kind of time as the file has it.
struct Kind {
  RecipePriors priors;
  std::vector<SwitchedLaw> plain;
};

/// Sets the members that `data` has.
void set(const PriorData& data, RecipePriors* p) {
  const std::pair<const char*, NormalPrior*> normals[] = {{"slope", &p->slope},
                                                          {"logit_share", &p->logit_share},
                                                          {"fall", &p->fall},
                                                          {"rise", &p->rise},
                                                          {"logit_second", &p->logit_second}};
  for (const auto& [key, to] : normals)
    if (data.has(key)) *to = normal(data.at(key));
  const std::pair<const char*, double*> numbers[] = {{"perfect", &p->perfect},
                                                     {"two_terms", &p->two_terms},
                                                     {"plain_weight", &p->plain_weight},
                                                     {"widening", &p->widening},
                                                     {"plain_widening", &p->plain_widening},
                                                     {"outliers", &p->accident},
                                                     {"discrepancy", &p->discrepancy}};
  for (const auto& [key, to] : numbers)
    if (data.has(key)) *to = data.number(key);
  for (const auto& [key, to] :
       {std::pair{"noise", &p->noise}, std::pair{"size_scatter", &p->size_scatter}})
    if (data.has(key)) *to = ln_normal(data.at(key));
  if (data.has("unseen_change"))
    p->change = {data.at("unseen_change").number("chance"), ln_normal(data.at("unseen_change"))};
  if (data.has("wander"))
    p->wander = {data.at("wander").number("among"), data.at("wander").number("ahead")};
}

Kind read_kind(const std::string& name, bool in_work) {
  const PriorData times = PriorData::all().at("times");
  if (!times.has(name) || !times.at(name).is_map() || name == "all" || name == "in_work")
    throw InputError("", "no set of priors is called '" + name + "'");
  const PriorData own = times.at(name);
  Kind kind;
  set(times.at("all"), &kind.priors);
  set(own, &kind.priors);
  if (in_work) set(times.at("in_work"), &kind.priors);
  const char* plain = in_work && own.has("plain_in_work") ? "plain_in_work" : "plain";
  if (!own.has(plain)) return kind;
  for (const PriorData& law : own.at(plain).items()) kind.plain.push_back(plain_law(law));
  return kind;
}

/// Leaves out the laws, families and effects that `on` switches off. The weights of the remaining
/// laws and families keep their proportions.
RecipePriors left(const Kind& kind, const Mechanisms& on, bool of_kernels) {
  RecipePriors p = kind.priors;
  double odds = 0;
  for (const SwitchedLaw& plain : kind.plain) {
    if (!on.plain_laws ||
        (plain.can_be_switched_off && !(of_kernels ? on.work_on_pairs : on.serial_end)))
      continue;
    p.plain.push_back(plain.law);
    odds += plain.law.weight;
  }
  for (PlainLaw& law : p.plain) law.weight /= odds;
  if (!on.overhead_share) p.two_terms = 0;
  if (!on.perfect_scaling) p.perfect = 0;
  if (!on.wandering_slopes) p.wander = {};
  if (!on.outliers) p.accident = 0;
  if (!on.unseen_changes) p.change.chance = 0;
  return p;
}

}  // namespace

double UnseenChange::chance_at(double distance) const {
  return chance * std::clamp(distance / std::numbers::ln2, 0.0, 1.0);
}

NormalPrior ln_normal(const PriorData& data) {
  return {std::log(data.number("median")), data.number("ln_sd")};
}

const CommonPriors& common_priors() {
  static const CommonPriors priors = [] {
    const PriorData times = PriorData::all().at("times");
    CommonPriors p;
    p.counts = times.number("counts");
    p.tested_counts = times.number("tested_counts");
    p.counts_ahead = times.number("counts_ahead");
    p.counts_stray = times.number("counts_stray");
    p.begins_to_fit = times.number("begins_to_fit");
    p.logit_count = normal(times.at("logit_count_share"));
    p.outlier_sd = times.number("outlier_sd");
    p.new_size_sd = times.number("new_size_sd");
    p.other_calls_sd = times.number("other_calls_sd");
    p.most_other_calls_sd = times.number("most_other_calls_sd");
    p.other_nodes_sd = times.number("other_nodes_sd");
    p.procs_alone = times.number("distance_in_procs");
    p.shared_noise = times.number("shared_noise");
    p.shared_noise_runs = times.number("shared_noise_runs");
    p.shared_beyond_noise = times.number("shared_beyond_noise");
    return p;
  }();
  return priors;
}

RecipePriors recipe_priors(const std::string& name, bool in_work) {
  thread_local std::map<std::pair<std::string, bool>, Kind> kinds;  // read once
  auto found = kinds.find({name, in_work});
  if (found == kinds.end())
    found = kinds.emplace(std::pair(name, in_work), read_kind(name, in_work)).first;
  return left(found->second, mechanisms(), name == "leaf");
}

}  // namespace apmt
