#include "fitter/communication/call_groups.h"

#include <algorithm>
#include <cmath>
#include <functional>
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

}  // namespace apmt
