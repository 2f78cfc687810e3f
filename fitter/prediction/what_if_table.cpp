#include "fitter/prediction/what_if_table.h"

#include <cmath>

#include "fitter/computation/cost_split.h"
#include "fitter/laws/process_grid.h"
#include "fitter/prediction/kernel_verdicts.h"

namespace apmt {
namespace {

/// A law of communication that is not zero, and what tells latency from bandwidth.
struct CommLaw {
  Part part;
  LawOfPart its;
  CostSplit split;
};

std::vector<CommLaw> comm_laws(const Model& model) {
  std::vector<CommLaw> laws;
  for (const Part part : {Part::kCommP2p, Part::kCommColl}) {
    for (const LawOfPart& its : laws_of(model, part))
      if (its.law->kind != TimeLaw::Kind::kZero) laws.push_back({part, its, cost_split(part, its)});
  }
  return laws;
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
  for (const CommLaw& comm : comm_laws(model)) {
    const bool splits = comm.split.by == CostSplit::By::kCounts ||
                        (comm.split.by == CostSplit::By::kProfile && has_profile);
    if (!splits) {
      if (!can) cannot = comm.split.why_not;
      row["notes"].push_back("unchanged: " + comm.its.words_of(comm.part) + "; " +
                             comm.split.why_not);
      continue;
    }
    can = true;
    if (!comm.split.doubt.empty()) row["notes"].push_back(comm.split.doubt);
    const double cost =
        comm.split.by == CostSplit::By::kCounts ? fitted_cost(*comm.its.law, feature) : 0;
    if (row["was"] == "" && cost > 0)
      row["was"] = format_value(knob, knob == Knob::kLatency ? cost : 1 / cost) + " " +
                   origin_of_cost(feature);
  }
  if (!can) {
    row["cannot"] = cannot;
    row["notes"].clear();
  }
  return row;
}

/// Whether any kernel has a law. For the kernels with a law: whether the time of waiting for memory
/// is known for some or for all of them, and whether the time of the memory's transfers is known
/// for some or for all of them.
struct KnownKernels {
  bool any = false;
  bool some = false;
  bool all = true;
  bool some_transfers = false;
  bool all_transfers = true;
};

KnownKernels known_kernels(const Model& model) {
  KnownKernels known;
  for (const KernelModel& k : model.kernels) {
    if (k.law.kind == TimeLaw::Kind::kZero) continue;
    known.any = true;
    const bool has = k.law.split.has_value();
    known.some = known.some || has;
    known.all = known.all && has;
    const bool has_transfers = has && k.law.split->knows_transfers();
    known.some_transfers = known.some_transfers || has_transfers;
    known.all_transfers = known.all_transfers && has_transfers;
  }
  return known;
}

Json frequency_row(const Model& model) {
  Json row = knob_row(Knob::kFrequency, "--frequency");
  const KnownKernels known = known_kernels(model);
  if (!known.any) row["cannot"] = "the model has no compute time";
  if (model.frequency_hz)
    row["was"] = format_value(Knob::kFrequency, *model.frequency_hz) + " as measured";
  if (known.any && !known.all)
    row["notes"].push_back(
        "where waiting for memory was not counted, all compute time is assumed to scale with the "
        "frequency, which overstates the gain of memory-bound kernels");
  return row;
}

Json memory_latency_row(const Model& model) {
  Json row = knob_row(Knob::kMemoryLatency, "--mem-latency");
  const KnownKernels known = known_kernels(model);
  if (!known.some)
    row["cannot"] = "the runs do not show how much of compute time waits for memory (grade " +
                    to_string(model.grade) + ": neither stalls nor accesses were counted)";
  else if (!known.all)
    row["notes"].push_back("compute time in which waiting for memory was not counted is unchanged");
  if (known.some && !known.all_transfers)
    row["notes"].push_back(
        "where the runs do not tell memory latency from bandwidth, all time blocked by memory is "
        "assumed to scale with the latency");
  return row;
}

Json memory_bandwidth_row(const Model& model) {
  Json row = knob_row(Knob::kMemoryBandwidth, "--mem-bandwidth");
  const KnownKernels known = known_kernels(model);
  if (!known.some_transfers)
    row["cannot"] =
        "the runs do not show how much of compute time the memory's bandwidth limits (grade " +
        to_string(model.grade) + ")";
  else if (!known.all_transfers)
    row["notes"].push_back(
        "compute time in which the memory's transfers were not counted is unchanged");
  return row;
}

Json cost_pair(const std::optional<MachineFigures::Network>& network) {
  if (!network || !(network->latency_s > 0) || !(network->bandwidth_bytes_per_s > 0)) return {};
  return {network->latency_s, 1 / network->bandwidth_bytes_per_s};
}

Json term_row(const LawTerm& t) {
  const char* shape =
      t.shape == GridShape::kNone ? "" : kGridShapeNames[static_cast<std::size_t>(t.shape)];
  Json row = {t.coefficient, t.p_exponent, t.log2_power, t.work_exponent, shape, t.exp_rate};
  if (t.from_x > 0 || std::isfinite(t.below_x)) {
    row.push_back(t.from_x);
    row.push_back(std::isfinite(t.below_x) ? Json(t.below_x) : Json());  // null: no limit
  }
  return row;
}

}  // namespace

Json closed_forms(const std::vector<Hypothesis>& hypotheses) {
  Json list = Json::array();
  for (const Hypothesis& h : hypotheses) {
    Json terms = Json::array();
    for (const LawTerm& t : h.terms) terms.push_back(term_row(t));
    list.push_back(std::move(terms));
  }
  return list;
}

Json profiled_network(const std::optional<MachineFigures>& profiled_on) {
  if (!profiled_on) return {};
  return {{"cores_per_node", profiled_on->cores_per_node},
          {"in_node", cost_pair(profiled_on->in_node)},
          {"between_nodes", cost_pair(profiled_on->between_nodes)}};
}

Json knobs_table(const Model& model, const std::optional<MachineFigures>& profiled_on) {
  const Json network = profiled_network(profiled_on);
  const bool has_profile =
      !network.is_null() && !(network["in_node"].is_null() && network["between_nodes"].is_null());
  return {network_row(model, Knob::kLatency, "--latency", "alpha", has_profile),
          network_row(model, Knob::kBandwidth, "--bandwidth", "beta", has_profile),
          frequency_row(model), memory_latency_row(model), memory_bandwidth_row(model)};
}

Json cost_split_row(Part part, const LawOfPart& its) {
  const CostSplit split = cost_split(part, its);
  const char* by = split.by == CostSplit::By::kCounts    ? "counts"
                   : split.by == CostSplit::By::kProfile ? "profile"
                                                         : "nobody";
  return {{"by", by}, {"why_not", split.why_not}};
}

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

}  // namespace apmt
