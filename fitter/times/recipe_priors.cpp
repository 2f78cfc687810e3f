#include "fitter/times/recipe_priors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/input_error.h"
#include "fitter/mechanisms.h"
#include "fitter/prior_data.h"

namespace apmt {
namespace {

/// A plain law, with its odds as weight.
PlainLaw plain_law(const Json& data) {
  using S = PlainLaw::Second;
  PlainLaw law{.weight = data.at("odds"), .exponent = data.at("power")};
  if (!data.contains("beside")) return law;
  const Json& beside = data.at("beside");
  law.second = beside.is_number()     ? S::kPower
               : beside == "constant" ? S::kConstant
               : beside == "log"      ? S::kLog
                                      : S::kOthers;
  if (law.second == S::kPower) law.second_exponent = beside;
  return law;
}

/// The members of one kind of time, as the file has them.
Json members_of(const std::string& name, bool in_work) {
  const Json& times = prior_data().at("times");
  if (!times.contains(name) || !times.at(name).is_object() || name == "all" || name == "in_work")
    throw InputError("", "no set of priors is called '" + name + "'");
  Json members = times.at("all");
  members.update(times.at(name));
  if (!in_work) return members;
  members.update(times.at("in_work"));
  if (members.contains("plain_in_work")) members["plain"] = members.at("plain_in_work");
  return members;
}

}  // namespace

double UnseenChange::chance_at(double distance) const {
  return chance * std::clamp(distance / std::numbers::ln2, 0.0, 1.0);
}

NormalPrior normal_prior(const Json& data) {
  if (data.is_array()) return {data.at(0), data.at(1)};
  return {std::log(data.at("median").get<double>()), data.at("ln_sd")};
}

const CommonPriors& common_priors() {
  static const CommonPriors priors = [] {
    const Json& times = prior_data().at("times");
    return CommonPriors{.counts = times.at("counts"),
                        .tested_counts = times.at("tested_counts"),
                        .counts_ahead = times.at("counts_ahead"),
                        .counts_stray = times.at("counts_stray"),
                        .begins_to_fit = times.at("begins_to_fit"),
                        .logit_count = normal_prior(times.at("logit_count_share")),
                        .outlier_sd = times.at("outlier_sd"),
                        .new_size_sd = times.at("new_size_sd"),
                        .other_calls_sd = times.at("other_calls_sd"),
                        .most_other_calls_sd = times.at("most_other_calls_sd"),
                        .other_nodes_sd = times.at("other_nodes_sd"),
                        .procs_alone = times.at("distance_in_procs"),
                        .shared_noise = times.at("shared_noise"),
                        .shared_noise_runs = times.at("shared_noise_runs"),
                        .shared_beyond_noise = times.at("shared_beyond_noise")};
  }();
  return priors;
}

/// Laws, families and effects that are switched off are left out. The weights of the remaining
/// laws and families keep their proportions.
RecipePriors recipe_priors(const std::string& name, bool in_work) {
  const Mechanisms& on = mechanisms();
  const Json data = members_of(name, in_work);
  const auto normal = [&](const char* key) { return normal_prior(data.at(key)); };
  RecipePriors p{.slope = normal("slope"),
                 .perfect = on.perfect_scaling ? data.at("perfect").get<double>() : 0,
                 .logit_share = normal("logit_share"),
                 .fall = normal("fall"),
                 .rise = normal("rise"),
                 .two_terms = on.overhead_share ? data.at("two_terms").get<double>() : 0,
                 .plain = {},
                 .plain_weight = data.at("plain_weight"),
                 .logit_second = normal("logit_second"),
                 .noise = normal("noise"),
                 .widening = data.at("widening"),
                 .plain_widening = data.at("plain_widening"),
                 .change = {},
                 .wander = {},
                 .accident = on.outliers ? data.at("outliers").get<double>() : 0,
                 .discrepancy = data.at("discrepancy"),
                 .size_scatter = normal("size_scatter")};
  if (on.wandering_slopes)
    p.wander = {data.at("wander").at("among"), data.at("wander").at("ahead")};
  if (data.contains("unseen_change")) {
    p.change.ln_factor = normal("unseen_change");
    if (on.unseen_changes) p.change.chance = data.at("unseen_change").at("chance");
  }
  if (!on.plain_laws || !data.contains("plain")) return p;
  const bool has_switched = name == "leaf" ? on.work_on_pairs : on.serial_end;
  double odds = 0;
  for (const Json& law : data.at("plain")) {
    if (law.contains("switched") && !has_switched) continue;
    p.plain.push_back(plain_law(law));
    odds += p.plain.back().weight;
  }
  for (PlainLaw& law : p.plain) law.weight /= odds;
  return p;
}

}  // namespace apmt
