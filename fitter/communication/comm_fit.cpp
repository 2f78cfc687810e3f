#include "fitter/communication/comm_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fitter/communication/call_groups.h"
#include "fitter/communication/comm_families.h"
#include "fitter/communication/op_counts.h"
#include "fitter/communication/wait_families.h"
#include "fitter/laws/count_fit.h"
#include "fitter/model/model_parts.h"
#include "fitter/runs/message_costs.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"
#include "fitter/times/time_fit.h"

namespace apmt {
namespace {

constexpr double kLookAhead = 17;  // laws are compared at this multiple of the largest P

std::size_t distinct_procs(const std::vector<FitPoint>& points) {
  std::set<double> procs;
  for (const FitPoint& p : points) procs.insert(p.procs);
  return procs.size();
}

std::vector<FitPoint> without_serial(std::vector<FitPoint> points) {
  std::erase_if(points, [](const FitPoint& p) { return p.procs <= 1; });
  return points;
}

/// Fits the law of an operation. A single process has no neighbours, so its count is left out if it
/// does not fit the law of the other points.
CountLaw fit_op(const std::vector<FitPoint>& points, const std::string& op_class,
                const LawCatalog& catalog) {
  const CountKind kind = is_of_messages(op_class) || op_class == "one-sided"
                             ? CountKind::kNeighbours
                             : CountKind::kWhole;
  CountLaw law = fit_count(points, catalog, kind);
  if (law.is_exact()) return law;
  const std::vector<FitPoint> parallel = without_serial(points);
  if (parallel.size() == points.size() || distinct_procs(parallel) < 2) return law;
  CountLaw of_parallel = fit_count(parallel, catalog, kind);
  return of_parallel.is_exact() || law.hypotheses.empty() ? of_parallel : law;
}

/// Whether the counts of the operation may explain the time of the part.
bool may_explain(const CountModel& m, Part part) {
  if (part == Part::kCommP2p) return m.op_class == "p2p" && operation_has(m.op, "send");
  return part == Part::kCommColl && is_of_collectives(m.op_class);
}

/// The groups of a part's calls; a single one, without a name, if the part is not divided.
std::vector<CallGroup> groups_of(const Experiment& e, Part part,
                                 const std::vector<CountModel>& counts, const FitOptions& options) {
  std::vector<CallGroup> groups;
  if (options.method != kPaperMethod) groups = call_groups(e, part);
  if (!groups.empty()) return groups;
  CallGroup& whole = groups.emplace_back();
  for (const CountModel& c : counts)
    if (may_explain(c, part)) whole.ops.push_back(c.op);
  for (const ExperimentPoint& point : e.points)
    whole.seconds.push_back(point.parts.*measured_part(part));
  return groups;
}

const char* method_of(const TimeLaw& law) {
  if (law.kind == TimeLaw::Kind::kZero) return "zero";
  if (law.kind == TimeLaw::Kind::kExact) return "exact";
  if (law.kind == TimeLaw::Kind::kUnitCosts) return "counts";
  double counts = 0;
  for (const CountFamily& f : law.families) counts += f.posterior;
  return counts > 0.5 ? "counts" : "recipe";
}

/// How much a message costs within a node, relative to one between nodes, if messages have `bytes`
/// in the mean. Absent if the runs were not on several nodes with several processes each, or if the
/// machine profile lacks one of these costs.
std::optional<CostWithinNode> cost_within_node(const Experiment& e, const NetworkCosts& network,
                                               double bytes) {
  const Link &near = network.in_node, &far = network.between_nodes;
  const bool are_both =
      std::ranges::any_of(e.points, [](const auto& p) { return p.nodes > 1 && p.nodes < p.procs; });
  if (!are_both || !near.is_known() || !far.is_known()) return std::nullopt;
  const auto ratio = [](double a, double b) { return a > 0 && b > 0 ? a / b : 1; };
  return CostWithinNode{ratio(near.latency_s(), far.latency_s()),
                        ratio(near.s_per_byte(bytes), far.s_per_byte(bytes))};
}

/// What is known about the costs of messages.
KnownCosts costs_of_messages(const Experiment& e, const std::vector<double>& work,
                             const NetworkCosts& network, const LawCatalog& catalog) {
  KnownCosts known;
  const SentMessages sent = sent_messages(e);
  known.within = cost_within_node(e, network, sent.mean_bytes);
  if (known.within) known.weighted = count_by_place(e, work, *known.within, catalog);
  const double between = known.weighted.empty() ? sent.between_nodes : 1;
  known.message = network.message(between);
  known.byte = network.byte(between, sent.mean_bytes);
  known.has_hub = std::ranges::all_of(e.runs, has_hub);
  return known;
}

/// What is known about the costs of collectives.
KnownCosts costs_of_collectives(const Experiment& e, const std::vector<double>& work,
                                const NetworkCosts& network, const std::vector<CountModel>& counts,
                                const LawCatalog& catalog) {
  KnownCosts known{light_calls(e)};
  for (const auto& [op, calls] : network.collectives) known.light.try_emplace(op, calls);
  double calls = 0;
  double bytes = 0;
  for (const CountModel& c : counts) {
    if (!may_explain(c, Part::kCommColl)) continue;
    for (const FitPoint& p : c.calls_points) calls += p.value;
    for (const FitPoint& p : c.bytes_points) bytes += p.value;
  }
  known.within = cost_within_node(e, network, calls > 0 ? bytes / calls : 0);
  known.weighted = count_passed(e, work, known.within, catalog);
  return known;
}

}  // namespace

std::vector<CountModel> fit_counts(const Experiment& e, const std::vector<double>& work,
                                   const LawCatalog& catalog) {
  std::vector<CountModel> models = count_ops(e, work);
  for (CountModel& m : models) {
    m.calls = fit_op(m.calls_points, m.op_class, catalog);
    m.bytes = fit_op(m.bytes_points, m.op_class, catalog);
  }
  return models;
}

std::vector<CommModel> fit_comm(const Experiment& e, const std::vector<double>& work,
                                double linear_exponent, const std::vector<CountModel>& counts,
                                const FitOptions& options, const LawCatalog& catalog,
                                bool may_be_exact, std::vector<std::string>* warnings) {
  std::vector<FitPoint> path;  // P and D of the campaign, to extrapolate D
  for (std::size_t i = 0; i < e.points.size(); ++i)
    path.push_back({.procs = static_cast<double>(e.points[i].procs), .work = work[i]});
  KnownCosts of_messages = costs_of_messages(e, work, options.network, catalog);
  KnownCosts of_collectives = costs_of_collectives(e, work, options.network, counts, catalog);
  for (KnownCosts* known : {&of_messages, &of_collectives}) {
    known->ahead = kLookAhead * e.points.back().procs;
    known->work_ahead = work_ahead(path, kLookAhead);
    known->linear_exponent = linear_exponent;
  }
  std::vector<CommModel> models;
  const auto add = [&](Part part, const CallGroup& group) {
    CommModel& m = models.emplace_back();
    m.part = comm_name(part);
    m.group = group.name;
    m.method = "none";
    m.ops = group.ops;
    for (std::size_t i = 0; i < e.points.size(); ++i)
      if (group.seconds[i])
        m.points.push_back(fit_point(e.points[i].procs, work[i], *group.seconds[i]));
    // A single process does not communicate, so laws are fitted to the other points if possible.
    std::vector<FitPoint> usable = without_serial(m.points);
    if (distinct_procs(usable) < 2) usable = m.points;
    const bool is_wait = part == Part::kCommWait;
    if (distinct_procs(usable) < 2) {
      // Waiting is measured inside point-to-point calls and collectives. If its time is missing,
      // the times of these two parts are missing as well, and their warnings suffice.
      const char* calls = part == Part::kCommP2p    ? "point-to-point"
                          : part == Part::kCommColl ? "collective"
                                                    : "other MPI";
      if (!is_wait)
        warnings->push_back(
            std::string("the time in ") + calls +
            " calls is not included in the total: runs without oversubscription exist at " +
            (usable.empty() ? "no process count" : "only one process count"));
      return;
    }
    CountedOps ops;
    for (const CountModel& c : counts)
      if (may_explain(c, part) && std::ranges::count(group.ops, c.op) > 0) ops.push_back(&c);
    KnownCosts& known = part == Part::kCommColl ? of_collectives : of_messages;
    known.points = usable;
    known.few_bytes = part == Part::kCommColl && !group.name.empty() && are_light(group.ops, e);
    TimeFitOptions time_options{
        .prior = is_wait ? "waiting" : "communication",
        .size_rule = TimeLaw::SizeRule::kLinear,
        .linear_exponent = linear_exponent,
        .families = is_wait ? wait_families(e, usable) : families_for(m.part, ops, known),
        .may_be_exact = may_be_exact};
    m.law = fit_time(usable, catalog, std::move(time_options));
    m.method = method_of(*m.law);
  };
  for (const Part part : {Part::kCommP2p, Part::kCommColl, Part::kCommWait, Part::kCommOther})
    for (const CallGroup& group : groups_of(e, part, counts, options)) add(part, group);
  return models;
}

}  // namespace apmt
