#include "fitter/communication/comm_fit.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/mean.h"
#include "fitter/communication/comm_families.h"
#include "fitter/communication/op_counts.h"
#include "fitter/communication/wait_families.h"
#include "fitter/laws/count_fit.h"
#include "fitter/mechanisms.h"
#include "fitter/runs/message_costs.h"
#include "fitter/runs/passes.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"
#include "fitter/times/time_fit.h"

namespace apmt {
namespace {

constexpr double kLookAhead = 17;       // laws are compared at this multiple of the largest P
constexpr double kOwnLaw = 0.05;        // share of the time at any point that makes a group
constexpr std::size_t kMostGroups = 6;  // including the group of all others
constexpr double kTableMisses = 0.02;   // share of the time that rows of the MPI table may lack
constexpr double kUnpaired = 0.05;      // share of the messages of a kind, see joined_kinds()

bool belongs_to(Part part, const MpiRow& row) {
  return (part != Part::kCommColl && is_of_messages(row.op_class)) ||
         (part != Part::kCommP2p && is_of_collectives(row.op_class));
}

bool is_persistent(const MpiRow& row) {
  return row.op.starts_with("MPI_Start") || row.op.ends_with("_init");
}

std::string kind_of_message(const MpiRow& row) {
  for (const char* begin : {"MPI_I", "MPI_Pready", "MPI_Parrived"})
    if (row.op.starts_with(begin)) return kNonBlocking;
  if (row.op_class == "completion" || is_persistent(row)) return kNonBlocking;
  return operation_has(row.op, "sendrecv") ? kExchange : kBlocking;
}

/// Each collective operation is a group. Each kind of message call is a group, too, unless calls of
/// one kind send messages that calls of another kind receive. Then these two kinds are one group,
/// because their time is spent on the same messages.
std::set<std::string> joined_kinds(const Experiment& e) {
  struct Messages {
    double sent = 0, received = 0;
  };
  std::set<std::string> unpaired;
  bool has_persistent = false;
  for (const RunProfile& run : e.runs) {
    std::map<std::string, Messages> by_kind;
    for (const MpiRow& row : run.mpi) {
      has_persistent = has_persistent || is_persistent(row);
      if (row.op_class != "p2p" || row.peer == "nobody" || is_persistent(row)) continue;
      Messages& its = by_kind[kind_of_message(row)];
      if (operation_has(row.op, "send")) its.sent += static_cast<double>(row.calls);
      if (operation_has(row.op, "recv")) its.received += static_cast<double>(row.calls);
    }
    for (const auto& [kind, its] : by_kind)
      if (kind != kExchange &&
          std::abs(its.sent - its.received) > kUnpaired * std::max(its.sent, its.received))
        unpaired.insert(kind);
  }
  // A kind is unpaired if its numbers of sends and receives differ. If only one kind is unpaired,
  // its partners are calls that are not counted here: persistent requests, which are non-blocking,
  // or else MPI_Sendrecv.
  if (unpaired.size() == 1) unpaired.insert(has_persistent ? kNonBlocking : kExchange);
  if (unpaired.size() == 1) return {};  // non-blocking calls are each other's partners
  return unpaired;
}

std::string group_of(Part part, const MpiRow& row, const std::set<std::string>& joined) {
  if (part == Part::kCommWait) return is_along_tree(row.op) ? kAlongTrees : kOtherWaiting;
  if (!is_of_messages(row.op_class)) return row.op;
  const std::string kind = kind_of_message(row);
  return joined.contains(kind) ? *joined.begin() + " and " + *joined.rbegin() : kind;
}

/// The times of a group's calls.
struct GroupTimes {
  std::set<std::string> ops;
  std::vector<std::vector<double>> seconds;  // per rank, at each usable point and in each run of it
  double largest_share = 0;                  // of the time at any point
  std::size_t points = 0;                    // at which it takes time
};
using TimesByGroup = std::map<std::string, GroupTimes>;

/// The times at the points `used`. Empty if the table of calls of any run is not complete.
TimesByGroup times_by_group(const Experiment& e, Part part, const std::vector<std::size_t>& used) {
  const MessageCosts costs(e.runs);
  const std::set<std::string> joined = joined_kinds(e);
  TimesByGroup groups;
  for (std::size_t k = 0; k < used.size(); ++k) {
    const std::vector<std::size_t>& runs = e.points[used[k]].runs;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const RunProfile& run = e.runs[runs[r]];
      const std::vector<double> waited_s = waiting_in_rows(run, costs);
      const double ranks = recorded_ranks(run);
      double in_rows_s = 0;
      for (std::size_t i = 0; i < run.mpi.size(); ++i) {
        const MpiRow& row = run.mpi[i];
        if (!belongs_to(part, row)) continue;
        const bool waits = part == Part::kCommWait;
        GroupTimes& group = groups[group_of(part, row, joined)];
        group.ops.insert(row.op);
        group.seconds.resize(used.size());
        group.seconds[k].resize(runs.size(), 0);
        group.seconds[k][r] += (waits ? waited_s[i] : row.time_s - waited_s[i]) / ranks;
        in_rows_s += row.time_s / ranks;
      }
      const double all_s = (part == Part::kCommColl ? 0 : run.times.mpi_p2p_s.mean()) +
                           (part == Part::kCommP2p ? 0 : run.times.mpi_coll_s.mean());
      if (!(std::abs(in_rows_s - all_s) <= kTableMisses * all_s)) return {};
    }
  }
  return groups;
}

/// The mean time of all groups at usable point `k`.
double mean_s(const TimesByGroup& groups, std::size_t k) {
  double all_s = 0;
  for (const auto& [name, times] : groups) all_s += mean(times.seconds[k]);
  return all_s;
}

/// The names of the groups, the one with the largest share first.
std::vector<std::string> by_share(TimesByGroup* groups, std::size_t points) {
  std::vector<std::string> names;
  for (auto& [name, times] : *groups) {
    names.push_back(name);
    for (std::size_t k = 0; k < points; ++k) {
      const double all_s = mean_s(*groups, k), its_s = mean(times.seconds[k]);
      times.largest_share = std::max(times.largest_share, all_s > 0 ? its_s / all_s : 0);
      times.points += its_s > 0;
    }
  }
  std::ranges::stable_sort(names, std::greater(),
                           [&](const std::string& name) { return groups->at(name).largest_share; });
  return names;
}

/// The seconds of a group with these members at usable point `k`; absent if it has no calls there.
/// The time of the part is a median over the runs, and the medians of its groups would not add up
/// to it. So the group gets the part's time multiplied by the group's share of the mean time.
std::optional<Measured> seconds_of(const std::vector<std::string>& members,
                                   const TimesByGroup& groups, std::size_t k,
                                   const Measured& part) {
  std::vector<double> sum_s;
  for (const std::string& member : members) {
    const std::vector<double>& its_s = groups.at(member).seconds[k];
    sum_s.resize(std::max(sum_s.size(), its_s.size()), 0);
    std::ranges::transform(its_s, sum_s, sum_s.begin(), std::plus());
  }
  if (sum_s.empty()) return std::nullopt;
  const double all_s = mean_s(groups, k);
  Measured m = measured(sum_s);
  m.value = all_s > 0 ? part.value * mean(sum_s) / all_s : 0;
  return m;
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
  if (parallel.size() == points.size() || !differ(parallel, &FitPoint::procs)) return law;
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

std::vector<CallGroup> call_groups(const Experiment& e, Part part) {
  if (!mechanisms().call_groups || part == Part::kCommOther) return {};
  std::vector<std::size_t> used;
  std::set<int> counts;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    if (e.points[i].procs <= 1 || !(e.points[i].parts.*measured_part(part))) continue;
    used.push_back(i);
    counts.insert(e.points[i].procs);
  }
  if (counts.size() < 2) return {};
  TimesByGroup times = times_by_group(e, part, used);
  std::vector<std::pair<std::string, std::vector<std::string>>> members;  // by name
  std::vector<std::string> others;
  bool others_everywhere = false;
  for (const std::string& name : by_share(&times, used.size())) {
    const bool is_large = times.at(name).largest_share >= kOwnLaw;
    const bool is_everywhere = times.at(name).points == used.size();
    if (is_large && !is_everywhere) return {};  // no law describes its times
    if (is_large && members.size() + 1 < kMostGroups) {
      members.push_back({name, {name}});
      continue;
    }
    others.push_back(name);
    others_everywhere = others_everywhere || is_everywhere;
  }
  if (part == Part::kCommWait && !others.empty()) return {};
  if (!others_everywhere && !members.empty()) {
    // Each group in `others` takes no time at some point. So they get no law of their own, but join
    // the last of `members`.
    members.back().second.insert(members.back().second.end(), others.begin(), others.end());
  } else if (!others.empty()) {
    const char* of_several = part == Part::kCommP2p ? kOtherMessages : kOtherCollectives;
    members.emplace_back(others.size() > 1 ? of_several : others.front(), others);
  }
  if (members.size() < 2) return {};
  std::vector<CallGroup> groups;
  for (const auto& [name, its] : members) {
    CallGroup& group = groups.emplace_back();
    group.name = name;
    group.seconds.resize(e.points.size());
    std::set<std::string> ops;
    for (const std::string& member : its)
      ops.insert(times.at(member).ops.begin(), times.at(member).ops.end());
    group.ops.assign(ops.begin(), ops.end());
    if (name == kAlongTrees && ops.size() == 1) group.name = group.ops.front();
    for (std::size_t k = 0; k < used.size(); ++k)
      group.seconds[used[k]] =
          seconds_of(its, times, k, *(e.points[used[k]].parts.*measured_part(part)));
  }
  return groups;
}

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
  for (const Part part : {Part::kCommP2p, Part::kCommColl, Part::kCommWait, Part::kCommOther})
    for (const CallGroup& group : groups_of(e, part, counts, options)) {
      CommModel& m = models.emplace_back();
      m.part = comm_name(part);
      m.group = group.name;
      m.ops = group.ops;
      for (std::size_t i = 0; i < e.points.size(); ++i)
        if (group.seconds[i])
          m.points.push_back(fit_point(e.points[i].procs, work[i], *group.seconds[i]));
      // A single process does not communicate, so laws are fitted to the other points if possible.
      std::vector<FitPoint> usable = without_serial(m.points);
      if (!differ(usable, &FitPoint::procs)) usable = m.points;
      const bool is_wait = part == Part::kCommWait;
      if (!differ(usable, &FitPoint::procs)) {
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
        continue;
      }
      CountedOps ops;
      for (const CountModel& c : counts)
        if (may_explain(c, part) && std::ranges::count(group.ops, c.op) > 0) ops.push_back(&c);
      KnownCosts& known = part == Part::kCommColl ? of_collectives : of_messages;
      known.points = usable;
      // If steps within a node cost less, the bytes make up for what the law of weighted calls
      // misses.
      known.few_bytes = (part == Part::kCommP2p ||
                         (part == Part::kCommColl && (!group.name.empty() || !known.within))) &&
                        are_light(group.ops, e);
      TimeFitOptions time_options{
          .prior = is_wait ? "waiting" : ops.empty() ? "uncounted" : "communication",
          .size_rule = TimeLaw::SizeRule::kLinear,
          .linear_exponent = linear_exponent,
          .families = is_wait ? wait_families(e, usable) : families_for(m.part, ops, known),
          .may_be_exact = may_be_exact};
      m.law = fit_time(usable, catalog, std::move(time_options));
    }
  return models;
}

}  // namespace apmt
