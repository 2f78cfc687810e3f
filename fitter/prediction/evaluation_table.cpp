#include "fitter/prediction/evaluation_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "fitter/computation/cost_split.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/kernel_verdicts.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/prediction/what_if_effect.h"
#include "fitter/runs/work.h"
#include "fitter/times/draw_places.h"
#include "fitter/times/recipe_nodes.h"
#include "fitter/times/recipe_table.h"
#include "fitter/times/time_law_eval.h"

namespace apmt {
namespace {

constexpr std::array kSplitsBy = {"nobody", "counts", "profile"};
constexpr std::array kSecondTerms = {"", "constant", "log", "power", "others"};

template <typename Enum, std::size_t n>
const char* name_of(Enum value, const std::array<const char*, n>& names) {
  return names[static_cast<std::size_t>(value)];
}

Json term_row(const LawTerm& t) {
  const char* shape = t.shape == GridShape::kNone ? "" : name_of(t.shape);
  Json row = {t.coefficient, t.p_exponent, t.log2_power, t.work_exponent, shape, t.exp_rate};
  if (t.from_x > 0 || std::isfinite(t.below_x)) {
    row.push_back(t.from_x);
    row.push_back(std::isfinite(t.below_x) ? Json(t.below_x) : Json());  // null: no limit
  }
  return row;
}

/// A list of laws, each a list of terms.
Json closed_forms(const std::vector<Hypothesis>& hypotheses) {
  Json list = Json::array();
  for (const Hypothesis& h : hypotheses) {
    Json terms = Json::array();
    for (const LawTerm& t : h.terms) terms.push_back(term_row(t));
    list.push_back(std::move(terms));
  }
  return list;
}

Json feature_row(const Feature& f, double reference,
                 const std::vector<std::pair<double, double>>& seen_ratios) {
  return {{"name", f.name},
          {"steps", name_of(f.steps)},
          {"counts", closed_forms(f.counts)},
          {"cost", f.cost},
          {"size_exponent", f.size_exponent},
          {"reference", reference},
          {"seen_ratios", seen_ratios}};
}

Json grid_rows(const std::vector<GridNode>& nodes) {
  Json rows = Json::array();
  for (const GridNode& n : nodes) rows.push_back({n.value, n.weight});
  return rows;
}

Json grids_json(const RecipePriors& priors) {
  const RecipeGrids g = recipe_grids(priors);
  Json plain = Json::array();
  for (const PlainLaw& law : g.plain)
    plain.push_back(
        {law.weight, law.exponent, name_of(law.second, kSecondTerms), law.second_exponent});
  return {
      {"two_terms", g.two_terms},
      {"slope", grid_rows(g.slope)},
      {"share", grid_rows(g.share)},
      {"fall", grid_rows(g.fall)},
      {"rise", grid_rows(g.rise)},
      {"plain", std::move(plain)},
      {"second_share", grid_rows(g.second_share)},
      {"own_part", grid_rows(g.own_part)},
      {"count_share", grid_rows(g.count_share)},
      {"widening", priors.widening},
      {"plain_widening", priors.plain_widening},
      {"change", {priors.change.chance, priors.change.ln_factor.mean, priors.change.ln_factor.sd}},
      {"wander", {priors.wander.among, priors.wander.ahead}},
      {"accident", priors.accident}};
}

Json constants_json() {
  return {{"noise_nodes", kNoiseNodes},
          {"procs_alone", common_priors().procs_alone},
          {"accident_sd", common_priors().outlier_sd},
          {"accident_points", {kFewestWithAccidents, kMostWithAccidents}},
          {"steepest", kSteepestSlope},
          {"count_weight", common_priors().counts},
          {"negligible", kNegligible},
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

/// The row of one figure, for its slider on the HTML page. A slider begins at the factor 1, which
/// is the machine of the runs.
Json knob_row(Knob knob, const char* option) {
  return {{"name", words(knob)},
          {"option", option},
          {"was", ""},
          {"cannot", ""},
          {"notes", Json::array()}};
}

Json network_row(const Model& model, Knob knob, const char* option, const char* feature,
                 bool has_profile) {
  Json row = knob_row(knob, option);
  std::string cannot = "the runs spent no time in messages";
  bool can = false;
  for (const Part part : {Part::kCommP2p, Part::kCommColl})
    for (const LawOfPart& its : laws_of(model, part)) {
      if (its.law->kind == TimeLaw::Kind::kZero) continue;
      const CostSplit split = cost_split(part, its);
      const bool by_counts = split.by == CostSplit::By::kCounts;
      if (!by_counts && !(split.by == CostSplit::By::kProfile && has_profile)) {
        if (!can) cannot = split.why_not;
        row["notes"].push_back("unchanged: " + its.words_of(part) + "; " + split.why_not);
        continue;
      }
      can = true;
      if (!split.doubt.empty()) row["notes"].push_back(split.doubt);
      const double cost = by_counts ? fitted_cost(*its.law, feature) : 0;
      if (row["was"] == "" && cost > 0)
        row["was"] =
            format_value(knob, is_rate(knob) ? 1 / cost : cost) + " " + origin_of_cost(feature);
    }
  if (!can) {
    row["cannot"] = cannot;
    row["notes"].clear();
  }
  return row;
}

/// The rows of the cores' frequency and of the memory's latency and bandwidth.
std::vector<Json> rows_of_cores(const Model& model) {
  int all = 0;        // kernels with a law
  int waits = 0;      // those whose time of waiting for memory is known
  int transfers = 0;  // those whose time of the memory's transfers is known
  for (const KernelModel& k : model.kernels) {
    if (k.law.kind == TimeLaw::Kind::kZero) continue;
    ++all;
    waits += k.law.split.has_value();
    transfers += k.law.split && k.law.split->knows_transfers();
  }
  Json frequency = knob_row(Knob::kFrequency, "--frequency");
  if (all == 0) frequency["cannot"] = "the model has no compute time";
  if (model.frequency_hz)
    frequency["was"] = format_value(Knob::kFrequency, *model.frequency_hz) + " as measured";
  if (waits < all)
    frequency["notes"].push_back(
        "where waiting for memory was not counted, all compute time is assumed to scale with the "
        "frequency, which overstates the gain of memory-bound kernels");

  Json latency = knob_row(Knob::kMemoryLatency, "--mem-latency");
  if (waits == 0)
    latency["cannot"] = memory_is_unknown(model);
  else if (waits < all)
    latency["notes"].push_back(
        "compute time in which waiting for memory was not counted is unchanged");
  if (waits > 0 && transfers < all)
    latency["notes"].push_back(
        "where the runs do not tell memory latency from bandwidth, all time blocked by memory is "
        "assumed to scale with the latency");

  Json bandwidth = knob_row(Knob::kMemoryBandwidth, "--mem-bandwidth");
  if (transfers == 0)
    bandwidth["cannot"] = transfers_are_unknown(model);
  else if (transfers < all)
    bandwidth["notes"].push_back(
        "compute time in which the memory's transfers were not counted is unchanged");
  return {frequency, latency, bandwidth};
}

Json cost_pair(const Link& link) {
  const double s_per_byte = link.s_per_byte(INFINITY);  // of large messages
  if (!link.is_known() || !(s_per_byte > 0)) return {};
  return {link.latency_s(), s_per_byte};
}

/// The network of the machine of the runs, within a node and between nodes: seconds per message and
/// per byte.
Json profiled_network(const std::optional<MachineFigures>& profiled_on) {
  if (!profiled_on) return {};
  return {{"cores_per_node", profiled_on->cores_per_node},
          {"in_node", cost_pair(profiled_on->in_node)},
          {"between_nodes", cost_pair(profiled_on->between_nodes)}};
}

/// One entry per figure: its name, option and value in the runs, notes, and the reason if it cannot
/// be changed.
Json knobs_table(const Model& model, const std::optional<MachineFigures>& profiled_on) {
  const Json network = profiled_network(profiled_on);
  const bool has_profile =
      !network.is_null() && !(network["in_node"].is_null() && network["between_nodes"].is_null());
  Json rows = {network_row(model, Knob::kLatency, "--latency", "alpha", has_profile),
               network_row(model, Knob::kBandwidth, "--bandwidth", "beta", has_profile)};
  for (Json& row : rows_of_cores(model)) rows.push_back(std::move(row));
  return rows;
}

/// How a kernel's time divides into computation and time blocked by memory: closed forms, and the
/// possible costs; null if it is not divided.
Json memory_row(const KernelModel& kernel) {
  if (!kernel.law.split) return {};
  return {{"core", closed_forms({kernel.law.split->core})},
          {"unhidden", closed_forms({kernel.law.split->unhidden})},
          {"transfers", closed_forms({kernel.law.split->transfers})},
          {"sharing", sharing_to_json(*kernel.law.split)},
          {"only_work", kernel.law.split->only_work},
          {"foreseen", kernel.law.split->is_foreseen},
          {"ways", ways_to_json(*kernel.law.split)}};
}

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

Json LawFrame::exported() const {
  if (law_.points.empty() || law_.kind == TimeLaw::Kind::kZero) return {{"kind", "zero"}};
  std::set<double> works;
  for (const FitPoint& p : law_.points) works.insert(p.work);
  Json json = {{"kind", law_.kind == TimeLaw::Kind::kRecipe ? "recipe" : "exact"},
               {"size_rule", name_of(law_.size_rule)},
               {"linear_exponent", law_.linear_exponent},
               {"linear_exponent_sd", law_.linear_exponent_sd},
               {"series", series_},
               {"max_procs", max_procs_},
               {"min_procs", min_procs_},
               {"min_x", min_x_},
               {"max_x", max_x_},
               {"reference_work", reference_work_},
               {"work_varies", work_varies_},
               {"many_sizes", many_sizes_},
               {"works", works},
               {"cores_of_only_node", law_.unseen.cores_of_only_node},
               {"plain_family", plain_family().has_value() ? Json(*plain_family()) : Json()},
               {"ln_calls", ln_smallest_call_ <= ln_largest_call_
                                ? Json({ln_smallest_call_, ln_largest_call_})
                                : Json()},
               {"exact", closed_forms(law_.exact.hypotheses)}};
  Json families = Json::array();
  for (const CountFamily& family : law_.families) {
    Json features = Json::array();
    for (const Feature& f : family.features)
      features.push_back(feature_row(f, f.per_rank(max_procs_, reference_work_), seen_ratios(f)));
    families.push_back({{"posterior", family.posterior}, {"features", std::move(features)}});
  }
  if (law_.kind == TimeLaw::Kind::kRecipe) {
    const RecipePriors prior = priors();
    const NormalPrior noise = noise_prior(law_.points, prior);
    json["noise"] = {noise.mean, noise.sd};
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

Json evaluation_table(const Model& model, const Scenario& scenario,
                      const std::optional<MachineFigures>& profiled_on) {
  Json laws = Json::array();
  Json priors = Json::object();
  Json parts = Json::object();
  Json missing = Json::array();
  for (const Part part : kParts) {
    if (!has_part(model, part)) {
      missing.push_back(words(part));
      continue;
    }
    parts[key(part)] = words(part);
    for (const LawOfPart& its : laws_of(model, part)) {
      const TimeLaw& law = *its.law;
      Json& row = laws.emplace_back(LawFrame(law).exported());
      row["part"] = key(part);
      row["seed"] = seed_of(part, its);
      row["none_alone"] = is_nothing_alone(model, part);
      if (const KernelModel* kernel = its.kernel) {
        row["name"] = kernel->name;
        row["memory"] = memory_row(*kernel);
        row["calls"] = calls_row(model, kernel->calls);
      }
      if (part == Part::kCommP2p || part == Part::kCommColl) {
        const CostSplit split = cost_split(part, its);
        row["split"] = {{"by", name_of(split.by, kSplitsBy)}, {"why_not", split.why_not}};
      }
      if (!row.contains("priors")) continue;
      const std::string set = row["priors"];
      if (!priors.contains(set))
        priors[set] = grids_json(recipe_priors(law.prior, set != law.prior));
    }
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
