#include "fitter/prediction/evaluation_table.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "fitter/computation/cost_split.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/kernel_verdicts.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/prediction/what_if_table.h"
#include "fitter/runs/work.h"
#include "fitter/times/draw_places.h"
#include "fitter/times/recipe_grids.h"
#include "fitter/times/recipe_nodes.h"
#include "fitter/times/time_law_eval.h"

namespace apmt {
namespace {

Json feature_row(const Feature& f, double reference) {
  const char* steps = f.steps == Feature::Steps::kTree   ? "tree"
                      : f.steps == Feature::Steps::kRing ? "ring"
                                                         : "one";
  return {{"name", f.name},
          {"steps", steps},
          {"counts", closed_forms(f.counts)},
          {"cost", f.cost},
          {"size_exponent", f.size_exponent},
          {"reference", reference}};
}

Json grid_rows(const std::vector<GridNode>& nodes) {
  Json rows = Json::array();
  for (const GridNode& n : nodes) rows.push_back({n.value, n.weight});
  return rows;
}

const char* second_term(PlainLaw::Second second) {
  switch (second) {
    case PlainLaw::Second::kConstant:
      return "constant";
    case PlainLaw::Second::kLog:
      return "log";
    case PlainLaw::Second::kPower:
      return "power";
    case PlainLaw::Second::kOthers:
      return "others";
    case PlainLaw::Second::kNone:
      break;
  }
  return "";
}

Json grids_json(const RecipeGrids& g) {
  Json plain = Json::array();
  for (const PlainLaw& law : g.plain)
    plain.push_back({law.weight, law.exponent, second_term(law.second), law.second_exponent});
  return {{"two_terms", g.two_terms},
          {"slope", grid_rows(g.slope)},
          {"share", grid_rows(g.share)},
          {"fall", grid_rows(g.fall)},
          {"rise", grid_rows(g.rise)},
          {"plain", std::move(plain)},
          {"second_share", grid_rows(g.second_share)},
          {"own_part", grid_rows(g.own_part)},
          {"count_share", grid_rows(g.count_share)},
          {"widening", g.widening},
          {"wander", {g.wander.among, g.wander.ahead}},
          {"accident", g.accident}};
}

Json constants_json() {
  const RecipeConstants c = recipe_constants();
  return {{"noise_nodes", c.noise_nodes},
          {"procs_alone", common_priors().procs_alone},
          {"plain_widening", c.plain_widening},
          {"accident_sd", c.accident_sd},
          {"accident_points", c.accident_points},
          {"steepest", c.steepest},
          {"count_weight", c.count_weight},
          {"negligible", c.negligible},
          {"normals", stratum_normals()},
          {"lattice", lattice_steps()},
          {"far_ahead", RecipeNodes::kFarAhead},
          {"new_size", common_priors().new_size_sd},
          {"unseen",
           {{"other_calls", common_priors().other_calls_sd},
            {"most_other_calls", common_priors().most_other_calls_sd},
            {"other_nodes", common_priors().other_nodes_sd}}},
          {"way_normals", way_normals()},
          {"counts_stray", common_priors().counts_stray},
          {"rounding", TimeLawEvaluator::kRounding},
          {"farthest_ln", TimeLawEvaluator::kFarthestLn},
          {"shared_beyond_noise", common_priors().shared_beyond_noise},
          {"enough_split", kEnoughSplit},
          {"waiting", key(Part::kCommWait)},
          {"negligible_share", kNegligibleShare}};
}

/// Makes the table smaller, because a program may have a thousand kernels with similar laws. The
/// first kernel's law stays complete. Each later law keeps only what differs from it; "like" is the
/// index of the first kernel's law.
void leave_out_what_repeats(Json* laws) {
  const auto first = std::find_if(laws->begin(), laws->end(),
                                  [](const Json& law) { return law.contains("name"); });
  if (first == laws->end()) return;
  for (auto law = std::next(first); law != laws->end(); ++law) {
    const auto says = [&](const auto& member) { return law->contains(member.key()); };
    const auto members = first->items();
    if (!std::all_of(members.begin(), members.end(), says)) continue;
    for (const auto& [key, value] : first->items())
      if (law->at(key) == value) law->erase(key);
    (*law)["like"] = std::distance(laws->begin(), first);
  }
}

}  // namespace

Json LawFrame::exported() const {
  const char* kind = law_.points.empty()                   ? "zero"
                     : law_.kind == TimeLaw::Kind::kRecipe ? "recipe"
                     : law_.kind == TimeLaw::Kind::kZero   ? "zero"
                                                           : "exact";
  Json json = {{"kind", kind}};
  if (json["kind"] == "zero") return json;
  const char* rule = law_.size_rule == TimeLaw::SizeRule::kPerProcess ? "per process"
                     : law_.size_rule == TimeLaw::SizeRule::kLinear   ? "linear"
                                                                      : "none";
  std::set<double> works;
  for (const FitPoint& p : law_.points) works.insert(p.work);
  json.update(
      {{"size_rule", rule},
       {"linear_exponent", law_.linear_exponent},
       {"max_procs", max_procs_},
       {"min_procs", min_procs_},
       {"min_x", min_x_},
       {"max_x", max_x_},
       {"reference_work", reference_work_},
       {"work_varies", work_varies_},
       {"many_sizes", many_sizes_},
       {"works", works},
       {"cores_of_only_node", law_.unseen.cores_of_only_node},
       {"plain_family", plain_family() < law_.families.size() ? Json(plain_family()) : Json()},
       {"ln_calls", ln_smallest_call_ <= ln_largest_call_
                        ? Json({ln_smallest_call_, ln_largest_call_})
                        : Json()},
       {"exact", closed_forms(law_.exact.hypotheses)}});
  Json families = Json::array();
  for (const CountFamily& family : law_.families) {
    Json features = Json::array();
    for (const Feature& f : family.features)
      features.push_back(feature_row(f, f.per_rank(max_procs_, reference_work_)));
    families.push_back({{"posterior", family.posterior}, {"features", std::move(features)}});
  }
  if (law_.kind == TimeLaw::Kind::kRecipe) {
    const RecipePriors prior = priors();
    const NoisePrior noise = noise_prior(law_.points, prior);
    json["noise"] = {noise.ln_mean, noise.ln_sd};
    json["plain_weight"] = prior.weight_plain();
    json["priors"] = law_.prior + (priors_in_work() ? " in work" : "");
    json["places"] = json["values"] = Json::array();
    for (const RecipePoint& p : recipe_points()) {
      json["places"].push_back({p.l, p.l_procs, p.shift});
      json["values"].push_back({p.y, p.extra_sigma});
    }
    const std::vector<RecipeCounts> counts = recipe_counts();
    for (std::size_t i = 0; i < law_.families.size(); ++i) {
      families[i]["prior"] = counts[i].prior;
      families[i]["at_points"] = counts[i].at_points;
      families[i]["ln_shares"] = Json::array();
      for (const auto& share : counts[i].ln_shares)
        families[i]["ln_shares"].push_back(share ? Json({share->mean, share->sd}) : Json());
    }
    if (is_by_costs())
      json["by_costs"] = {{"prior", counts.back().prior}, {"at_points", counts.back().at_points}};
  }
  json["families"] = std::move(families);
  return json;
}

namespace {

/// The kernel's share in each law of communication, by part; null if it makes no calls.
Json calls_row(const Model& model, const OwnCalls& calls) {
  if (!calls.any()) return {};
  Json row;
  for (const Part part : {Part::kCommP2p, Part::kCommColl, Part::kCommOther, Part::kCommWait}) {
    Json& shares = row[key(part)] = Json::array();
    for (const LawOfPart& its : laws_of(model, part))
      shares.push_back(calls.share(comm_name(part), its.group));
  }
  return row;
}

}  // namespace

Json evaluation_table(const Model& model, const Scenario& scenario,
                      const std::optional<MachineFigures>& profiled_on) {
  Json laws = Json::array();
  Json priors = Json::object();
  Json parts = Json::object();
  Json missing = Json::array();
  const auto add = [&](Part part, const LawOfPart& its) {
    const TimeLaw& law = *its.law;
    const KernelModel* kernel = its.kernel;
    laws.push_back(LawFrame(law).exported());
    Json& row = laws.back();
    row["part"] = key(part);
    row["seed"] = seed_of(part, its);
    row["none_alone"] = is_nothing_alone(model, part);
    if (kernel != nullptr) {
      row["name"] = kernel->name;
      row["memory"] = memory_row(*kernel);
      row["calls"] = calls_row(model, kernel->calls);
    }
    if (part == Part::kCommP2p || part == Part::kCommColl) row["split"] = cost_split_row(part, its);
    if (!row.contains("priors")) return;
    const std::string set = row["priors"];
    if (!priors.contains(set))
      priors[set] = grids_json(recipe_grids(recipe_priors(law.prior, set != law.prior)));
  };
  for (const Part part : kParts) {
    if (!has_part(model, part)) {
      missing.push_back(words(part));
      continue;
    }
    parts[key(part)] = words(part);
    for (const LawOfPart& its : laws_of(model, part)) add(part, its);
  }
  leave_out_what_repeats(&laws);
  const ScenarioSizes sizes(model, scenario);
  return {{"constants", constants_json()},
          {"confidence", scenario.confidence},
          {"shared_noise", noise_correlation(model)},
          {"max_procs", model.max_procs()},
          {"min_procs", model.min_procs()},
          {"asked_procs", scenario.procs},
          {"parts", std::move(parts)},
          {"missing", std::move(missing)},
          {"priors", std::move(priors)},
          {"laws", std::move(laws)},
          {"knobs", knobs_table(model, profiled_on)},
          {"profiled", profiled_network(profiled_on)},
          {"sizes",
           {{"procs", sizes.base_procs()},
            {"base", sizes.base()},
            {"exponents", sizes.exponents()},
            {"given", sizes.given()},
            {"work", WorkExpression(model.work).postfix()}}}};
}

}  // namespace apmt
