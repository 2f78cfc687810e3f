#include "fitter/communication/call_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/mean.h"
#include "fitter/mechanisms.h"
#include "fitter/runs/message_costs.h"
#include "fitter/runs/passes.h"
#include "fitter/runs/run_parts.h"
#include "fitter/runs/spread.h"

namespace apmt {
namespace {

constexpr double kOwnLaw = 0.05;        // share of the time at any point that makes a group
constexpr std::size_t kMostGroups = 6;  // including the group of all others
constexpr double kTableMisses = 0.02;   // share of the time that rows of the MPI table may lack
constexpr double kUnpaired = 0.05;      // share of the messages of a kind, see joined_kinds()

bool belongs_to(Part part, const MpiRow& row) {
  const bool is_message = is_of_messages(row.op_class);
  const bool is_collective = is_of_collectives(row.op_class);
  return part == Part::kCommWait  ? is_message || is_collective
         : part == Part::kCommP2p ? is_message
                                  : is_collective;
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

/// The names of the groups of some kinds of message calls; all other kinds have their own names.
using JoinedKinds = std::map<std::string, std::string>;

/// Each collective operation is a group. Each kind of message call is a group, too, unless calls of
/// one kind send messages that calls of another kind receive. Then the two kinds are one group,
/// because their time is spent on the same messages.
JoinedKinds joined_kinds(const Experiment& e) {
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
  if (unpaired.empty()) return {};
  // A kind is unpaired if its numbers of sends and receives differ. If only one kind is unpaired,
  // its partners are calls that are not counted here: persistent requests, which are non-blocking,
  // or else MPI_Sendrecv.
  if (unpaired.size() == 1) unpaired.insert(has_persistent ? kNonBlocking : kExchange);
  if (unpaired.size() == 1) return {};  // non-blocking calls are each other's partners
  const std::string both = *unpaired.begin() + " and " + *unpaired.rbegin();
  return {{*unpaired.begin(), both}, {*unpaired.rbegin(), both}};
}

std::string group_of(Part part, const MpiRow& row, const JoinedKinds& joined) {
  if (part == Part::kCommWait) return is_along_tree(row.op) ? kAlongTrees : kOtherWaiting;
  if (!is_of_messages(row.op_class)) return row.op;
  const std::string kind = kind_of_message(row);
  const auto found = joined.find(kind);
  return found == joined.end() ? kind : found->second;
}

struct GroupTimes {
  std::set<std::string> ops;
  std::vector<double> seconds;  // per rank, in each run of a point
};
using TimesByGroup = std::map<std::string, GroupTimes>;

double mean_s(const TimesByGroup& groups) {
  double all_s = 0;
  for (const auto& [name, times] : groups) all_s += mean(times.seconds);
  return all_s;
}

/// The times at each usable point. Empty if the table of calls of any run is not complete.
std::vector<TimesByGroup> times_at_points(const Experiment& e, Part part,
                                          const std::vector<std::size_t>& used) {
  const MessageCosts costs(e.runs);
  const JoinedKinds joined = part == Part::kCommP2p ? joined_kinds(e) : JoinedKinds();
  std::vector<TimesByGroup> points;
  for (const std::size_t i : used) {
    const std::vector<std::size_t>& runs = e.points[i].runs;
    TimesByGroup& groups = points.emplace_back();
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const RunProfile& run = e.runs[runs[r]];
      const std::vector<double> waited_s = waiting_in_rows(run, costs);
      const double ranks = recorded_ranks(run);
      double in_rows_s = 0;
      for (std::size_t k = 0; k < run.mpi.size(); ++k) {
        const MpiRow& row = run.mpi[k];
        if (!belongs_to(part, row)) continue;
        const bool waits = part == Part::kCommWait;
        GroupTimes& group = groups[group_of(part, row, joined)];
        group.ops.insert(row.op);
        group.seconds.resize(runs.size(), 0);
        group.seconds[r] += (waits ? waited_s[k] : row.time_s - waited_s[k]) / ranks;
        in_rows_s += row.time_s / ranks;
      }
      const double all_s = (part == Part::kCommColl ? 0 : run.times.mpi_p2p_s.mean()) +
                           (part == Part::kCommP2p ? 0 : run.times.mpi_coll_s.mean());
      if (!(std::abs(in_rows_s - all_s) <= kTableMisses * all_s)) return {};
    }
  }
  return points;
}

struct Share {
  double largest = 0;      // of the time at any point
  std::size_t points = 0;  // at which it takes time
};

/// The groups by name, the one with the largest share first.
std::vector<std::pair<std::string, Share>> largest_shares(const std::vector<TimesByGroup>& points) {
  std::map<std::string, Share> shares;
  for (const TimesByGroup& groups : points) {
    const double all_s = mean_s(groups);
    for (const auto& [name, times] : groups) {
      const double value_s = mean(times.seconds);
      Share& share = shares[name];
      share.largest = std::max(share.largest, all_s > 0 ? value_s / all_s : 0);
      share.points += value_s > 0;
    }
  }
  std::vector<std::pair<std::string, Share>> sorted(shares.begin(), shares.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.largest > b.second.largest;
  });
  return sorted;
}

/// The times of some groups together.
GroupTimes sum_of(const std::vector<std::string>& members, const TimesByGroup& groups) {
  GroupTimes sum;
  for (const std::string& member : members) {
    const auto found = groups.find(member);
    if (found == groups.end()) continue;
    sum.ops.insert(found->second.ops.begin(), found->second.ops.end());
    sum.seconds.resize(found->second.seconds.size(), 0);
    for (std::size_t r = 0; r < sum.seconds.size(); ++r) sum.seconds[r] += found->second.seconds[r];
  }
  return sum;
}

/// The seconds of a group at one point. The time of the part is a median over the runs, and the
/// medians of its groups would not add up to it. So the group gets the part's time multiplied by
/// the group's share of the mean time.
Measured share_of(const GroupTimes& group, const TimesByGroup& all, const Measured& part) {
  const double all_s = mean_s(all);
  Measured m = measured(group.seconds);
  m.value = all_s > 0 ? part.value * mean(group.seconds) / all_s : 0;
  return m;
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
  const std::vector<TimesByGroup> times = times_at_points(e, part, used);
  if (times.empty()) return {};
  std::vector<std::pair<std::string, std::vector<std::string>>> members;  // by name
  std::vector<std::string> others;
  bool others_everywhere = false;
  for (const auto& [name, share] : largest_shares(times)) {
    const bool is_everywhere = share.points == times.size();
    if (share.largest >= kOwnLaw && !is_everywhere) return {};  // no law describes its times
    if (share.largest >= kOwnLaw && members.size() + 1 < kMostGroups) {
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
    for (std::size_t k = 0; k < used.size(); ++k) {
      const GroupTimes sum = sum_of(its, times[k]);
      if (sum.seconds.empty()) continue;
      ops.insert(sum.ops.begin(), sum.ops.end());
      group.seconds[used[k]] =
          share_of(sum, times[k], *(e.points[used[k]].parts.*measured_part(part)));
    }
    group.ops.assign(ops.begin(), ops.end());
    if (name == kAlongTrees && ops.size() == 1) group.name = *ops.begin();
  }
  return groups;
}

}  // namespace apmt
