#include "fitter/model/model_parts.h"
#include "fitter/prediction/prediction.h"

namespace apmt {
namespace {

Json time_or_null(const std::optional<TimeEstimate>& t) { return t ? Json(t->time_s) : Json(); }

Json interval_or_null(const std::optional<TimeEstimate>& t) {
  return t ? Json::array({t->low_s, t->high_s}) : Json();
}

/// The parts by key, each converted by `f`.
template <typename F>
Json parts_json(const PredictedParts& p, F f) {
  Json json = {{"mem_s", f(p.mem)}};
  for (const Part part : kParts)
    json[key(part)] = f(part == Part::kComp ? p.comp : p.*predicted_part(part));
  return json;
}

Json assumptions_json(const std::vector<Assumption>& assumptions) {
  Json list = Json::array();
  for (const Assumption& a : assumptions)
    list.push_back({{"what", a.what},
                    {"value", json_or_null(a.value)},
                    {"before", json_or_null(a.before)},
                    {"factor", json_or_null(a.factor)},
                    {"unit", a.unit},
                    {"source", a.source}});
  return list;
}

Json groups_json(const std::vector<PredictedGroup>& groups) {
  Json list = Json::array();
  for (const PredictedGroup& g : groups)
    list.push_back({{"group", g.name},
                    {"time_s", g.time.time_s},
                    {"low_s", g.time.low_s},
                    {"high_s", g.time.high_s},
                    {"latency_share", json_or_null(g.latency)}});
  return list;
}

}  // namespace

Json interval_of(const std::optional<ProcsEstimate>& p) {
  return p ? Json::array({p->low, p->high ? Json(*p->high) : Json()}) : Json();
}

Json to_json(const Prediction& p) {
  const PredictedParts parts = p.is_undivided ? PredictedParts{} : p.parts;
  const auto of_parts = p.is_undivided ? std::vector<PredictedKernel>{} : p.kernels;
  Json kernels = Json::array();
  for (const PredictedKernel& k : of_parts)
    kernels.push_back(
        {{"index", k.index},
         {"name", k.name},
         {"role", name_of(k.role)},
         {"time_s", k.time.time_s},
         {"low_s", k.time.low_s},
         {"high_s", k.time.high_s},
         {"comp_s", time_or_null(k.comp)},
         {"comp_interval_s", interval_or_null(k.comp)},
         {"mem_s", time_or_null(k.mem)},
         {"mem_interval_s", interval_or_null(k.mem)},
         {"transfer_s", time_or_null(k.transfer)},
         {"transfer_interval_s", interval_or_null(k.transfer)},
         {"transfer_part", k.transfer ? Json(k.transfer_part) : Json()},
         {"wait_s", time_or_null(k.wait)},
         {"wait_interval_s", interval_or_null(k.wait)},
         {"bound", k.bound},
         {"bound_probability", json_or_null(k.bound_probability)},
         {"bound_changes_at", k.bound_changes ? Json(k.bound_changes->procs) : Json()},
         {"bound_changes_between", interval_of(k.bound_changes)},
         {"bound_becomes", k.bound_changes ? Json(k.bound_becomes) : Json()}});
  return {
      {"procs", p.procs},
      {"params", p.params},
      {"time_s", p.time.time_s},
      {"low_s", p.time.low_s},
      {"high_s", p.time.high_s},
      {"confidence", p.confidence},
      {"extrapolation_factor", p.extrapolation_factor},
      {"size_factor", p.size_factor},
      {"worthless", p.worthless},
      {"grade", to_string(p.grade)},
      {"bound", p.bound},
      {"bound_changes_at", p.bound_changes_at ? Json(p.bound_changes_at->procs) : Json()},
      {"bound_changes_between", interval_of(p.bound_changes_at)},
      {"bound_becomes", p.bound_becomes.empty() ? Json() : Json(p.bound_becomes)},
      {"parts", parts_json(parts, time_or_null)},
      {"part_intervals", parts_json(parts, interval_or_null)},
      {"messages", groups_json(p.messages)},
      {"collectives", groups_json(p.collectives)},
      {"waiting", groups_json(p.waiting)},
      {"latency_shares",
       {{"comm_p2p", json_or_null(p.p2p_latency)}, {"comm_coll", json_or_null(p.coll_latency)}}},
      {"missing", p.missing},
      {"kernels", std::move(kernels)},
      {"speedup", json_or_null(p.speedup)},
      {"efficiency", json_or_null(p.efficiency)},
      {"efficiency_interval", p.efficiency_interval ? Json(*p.efficiency_interval) : Json()},
      {"assumed", assumptions_json(p.assumptions)},
      {"reference_procs", p.reference_procs},
      {"measured_s", json_or_null(p.measured_s)},
      {"baselines_s", p.baselines_s},
      {"backtest", to_json(p.backtest)},
      {"warnings", p.warnings}};
}

}  // namespace apmt
