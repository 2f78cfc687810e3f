#include <array>

#include "fitter/laws/time_law.h"

namespace apmt {
namespace {

constexpr std::array<const char*, 4> kSteps = {"one", "tree", "ring", "others"};
constexpr std::array<const char*, 4> kKinds = {"zero", "recipe", "exact", "unit costs"};
constexpr std::array<const char*, 3> kSizeRules = {"none", "per process", "linear"};

template <typename Enum, std::size_t n>
Json name_of(Enum value, const std::array<const char*, n>& names) {
  return names[static_cast<std::size_t>(value)];
}

template <typename Enum, std::size_t n>
Enum value_of(const JsonAt& json, const std::array<const char*, n>& names) {
  const std::string found = json.string();
  std::string all;
  for (std::size_t i = 0; i < n; ++i) {
    if (found == names[i]) return static_cast<Enum>(i);
    all += (i ? ", '" : "one of '") + std::string(names[i]) + "'";
  }
  json.fail(all);
}

Json term_to_json(const LawTerm& t) {
  Json json = {{"coefficient", t.coefficient},
               {"p_exponent", t.p_exponent},
               {"log2_power", t.log2_power},
               {"work_exponent", t.work_exponent},
               {"shape", name_of(t.shape, kGridShapeNames)},
               {"exp_rate", t.exp_rate}};
  if (t.from_x > 0) json["from_x"] = t.from_x;
  if (std::isfinite(t.below_x)) json["below_x"] = t.below_x;
  return json;
}

LawTerm term_from(const JsonAt& json) {
  LawTerm t;
  t.coefficient = json.at("coefficient").number();
  t.p_exponent = json.at("p_exponent").number();
  t.log2_power = static_cast<int>(json.at("log2_power").integer_in(0, 8));
  t.work_exponent = json.at("work_exponent").number();
  t.shape = value_of<GridShape>(json.at("shape"), kGridShapeNames);
  t.exp_rate = json.at("exp_rate").number();
  if (const auto from = json.find("from_x")) t.from_x = from->non_negative();
  if (const auto below = json.find("below_x")) t.below_x = below->non_negative();
  return t;
}

Json feature_to_json(const Feature& f) {
  Json json = {{"name", f.name},
               {"unit", f.unit},
               {"of", f.of},
               {"steps", name_of(f.steps, kSteps)},
               {"counts", array_of(f.counts)},
               {"cost", f.cost},
               {"size_exponent", f.size_exponent}};
  if (f.cost_ln_sd) json["cost_ln_sd"] = *f.cost_ln_sd;
  if (!f.seen.empty()) json["seen"] = f.seen;
  if (f.expected) json["expected"] = {{"cost", f.expected->cost}, {"ln_sd", f.expected->ln_sd}};
  return json;
}

Feature feature_from(const JsonAt& json) {
  Feature f;
  f.name = json.at("name").string();
  f.unit = json.at("unit").string();
  f.of = json.at("of").string();
  f.steps = value_of<Feature::Steps>(json.at("steps"), kSteps);
  json.at("counts").for_each([&](const JsonAt& h) { f.counts.push_back(hypothesis_from(h)); });
  f.cost = json.at("cost").non_negative();
  f.size_exponent = json.at("size_exponent").number();
  if (const auto sd = json.find("cost_ln_sd")) f.cost_ln_sd = sd->non_negative();
  if (const std::optional<JsonAt> seen = json.find("seen"))
    seen->for_each([&](const JsonAt& count) {
      f.seen.push_back(count.number());
      if (!(f.seen.back() > 0)) count.fail("a positive count");
    });
  if (const std::optional<JsonAt> expected = json.find("expected")) {
    f.expected = {expected->at("cost").non_negative(), expected->at("ln_sd").non_negative()};
    if (f.expected->cost <= 0) expected->at("cost").fail("a positive cost");
    if (f.expected->ln_sd <= 0) expected->at("ln_sd").fail("a positive standard deviation");
  }
  return f;
}

Json family_to_json(const CountFamily& f) {
  Json features = Json::array();
  for (const Feature& feature : f.features) features.push_back(feature_to_json(feature));
  return {{"name", f.name},
          {"prior", f.prior},
          {"posterior", f.posterior},
          {"features", std::move(features)}};
}

CountFamily family_from(const JsonAt& json) {
  CountFamily f;
  f.name = json.at("name").string();
  f.prior = json.at("prior").non_negative();
  f.posterior = json.at("posterior").non_negative();
  json.at("features").for_each([&](const JsonAt& x) { f.features.push_back(feature_from(x)); });
  if (f.features.empty() || f.features.size() > 2) json.at("features").fail("one or two features");
  return f;
}

}  // namespace

Json to_json(const FitPoint& p) {
  return {{"procs", p.procs},
          {"work", p.work},
          {"value", p.value},
          {"rel_sigma", p.rel_sigma},
          {"rel_sampling", p.rel_sampling},
          {"repetitions", p.repetitions}};
}

FitPoint fit_point_from(const JsonAt& json) {
  FitPoint p;
  p.procs = json.at("procs").non_negative();
  p.work = json.at("work").non_negative();
  p.value = json.at("value").non_negative();
  p.rel_sigma = json.at("rel_sigma").non_negative();
  p.rel_sampling = json.at("rel_sampling").non_negative();
  p.repetitions = static_cast<int>(json.at("repetitions").integer_in(1, 1000000));
  if (p.procs < 1) json.at("procs").fail("at least one process");
  if (p.work <= 0) json.at("work").fail("a positive amount of work");
  return p;
}

Json to_json(const Hypothesis& h) {
  Json terms = Json::array();
  for (const LawTerm& t : h.terms) terms.push_back(term_to_json(t));
  return {{"terms", terms},     {"formula", h.formula()},         {"free_numbers", h.free_numbers},
          {"weight", h.weight}, {"rel_residual", h.rel_residual}, {"exact", h.exact}};
}

Hypothesis hypothesis_from(const JsonAt& json) {
  Hypothesis h;
  json.at("terms").for_each([&](const JsonAt& t) { h.terms.push_back(term_from(t)); });
  h.free_numbers = static_cast<int>(json.at("free_numbers").integer_in(0, 100));
  h.weight = json.at("weight").non_negative();
  h.rel_residual = json.at("rel_residual").non_negative();
  h.exact = json.at("exact").boolean();
  return h;
}

Json to_json(const CountLaw& law) { return array_of(law.hypotheses); }

CountLaw count_law_from(const JsonAt& json) {
  CountLaw law;
  json.for_each([&](const JsonAt& h) { law.hypotheses.push_back(hypothesis_from(h)); });
  return law;
}

Json to_json(const TimeLaw& law) {
  Json families = Json::array();
  for (const CountFamily& f : law.families) families.push_back(family_to_json(f));
  Json json = {{"kind", name_of(law.kind, kKinds)},
               {"size_rule", name_of(law.size_rule, kSizeRules)},
               {"linear_exponent", law.linear_exponent},
               {"prior", law.prior},
               {"points", array_of(law.points)},
               {"families", families},
               {"exact", to_json(law.exact)}};
  if (law.plain_weight) json["plain_weight"] = *law.plain_weight;
  if (law.unseen.algorithms) json["unseen_algorithms"] = true;
  if (law.unseen.cores_of_only_node > 0) json["cores_of_only_node"] = law.unseen.cores_of_only_node;
  return json;
}

TimeLaw time_law_from(const JsonAt& json) {
  TimeLaw law;
  law.kind = value_of<TimeLaw::Kind>(json.at("kind"), kKinds);
  law.size_rule = value_of<TimeLaw::SizeRule>(json.at("size_rule"), kSizeRules);
  law.linear_exponent = json.at("linear_exponent").number();
  law.prior = json.at("prior").string();
  if (const auto weight = json.find("plain_weight")) {
    law.plain_weight = weight->non_negative();
    if (*law.plain_weight > 1) weight->fail("a share, at most 1");
  }
  if (const auto unseen = json.find("unseen_algorithms")) law.unseen.algorithms = unseen->boolean();
  if (const auto cores = json.find("cores_of_only_node"))
    law.unseen.cores_of_only_node = static_cast<int>(cores->integer_in(0, 1 << 24));
  json.at("points").for_each([&](const JsonAt& p) { law.points.push_back(fit_point_from(p)); });
  json.at("families").for_each([&](const JsonAt& f) { law.families.push_back(family_from(f)); });
  for (const CountFamily& family : law.families)
    for (const Feature& f : family.features)
      if (!f.seen.empty() && f.seen.size() != law.points.size())
        json.at("families").fail("as many counts in 'seen' as the law has points");
  law.exact = count_law_from(json.at("exact"));
  if (law.kind != TimeLaw::Kind::kZero && law.points.empty())
    json.at("points").fail("at least one point");
  if (law.kind == TimeLaw::Kind::kRecipe)
    for (const FitPoint& p : law.points)
      if (p.value <= 0) json.at("points").fail("positive times");
  if (law.kind == TimeLaw::Kind::kExact && law.exact.hypotheses.empty())
    json.at("exact").fail("at least one law");
  if (law.kind == TimeLaw::Kind::kUnitCosts && law.families.empty())
    json.at("families").fail("at least one family of counts");
  return law;
}

}  // namespace apmt
