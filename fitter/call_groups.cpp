#include "fitter/call_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fitter/comm_families.h"
#include "fitter/mechanisms.h"
#include "fitter/prediction.h"
#include "fitter/run_parts.h"
#include "fitter/spread.h"

namespace apmt {
namespace {

constexpr double kOwnLaw = 0.05;        // share of the time at any point that makes a group
constexpr std::size_t kMostGroups = 6;  // including the group of all others
constexpr double kTableMisses = 0.02;   // share of the time that rows of the MPI table may lack
constexpr double kUnpaired = 0.05;      // share of the messages of a kind, see GroupNames

bool is_message(const MpiRow& row) { return row.op_class == "p2p" || row.op_class == "completion"; }

bool belongs_to(Part part, const MpiRow& row) {
  const bool is_collective = row.op_class == "collective" || row.op_class == "rooted";
  return (part != Part::kCommColl && is_message(row)) || (part != Part::kCommP2p && is_collective);
}

const char* of_others(Part part) {
  if (part == Part::kCommWait) return kOtherCalls;
  return part == Part::kCommP2p ? kOtherMessages : kOtherCollectives;
}

std::string kind_of_message(const MpiRow& row) {
  const bool is_immediate = row.op.starts_with("MPI_I") || row.op.starts_with("MPI_Start");
  if (row.op_class == "completion" || is_immediate) return kNonBlocking;
  return operation_has(row.op, "sendrecv") ? kExchange : kBlocking;
}

/// Names the groups that would get laws of their own. Each collective operation is one. Of
/// messages, each kind is one, unless messages that are sent by calls of one kind are received by
/// calls of another: then the time of both kinds is spent on the same messages.
class GroupNames {
 public:
  GroupNames(const Experiment& e, Part part) {
    if (part == Part::kCommColl) return;
    std::set<std::string> unpaired;
    for (const RunProfile& run : e.runs) add_unpaired(run, &unpaired);
    if (unpaired.empty()) return;
    // The kind that the partners of a single unpaired kind use was not counted in both directions.
    if (unpaired.size() == 1) unpaired.insert(kExchange);
    std::string both;
    for (const std::string& kind : unpaired) both += (both.empty() ? "" : " and ") + kind;
    for (const std::string& kind : unpaired) joined_[kind] = both;
  }

  std::string of(const MpiRow& row) const {
    if (!is_message(row)) return row.op;
    const std::string kind = kind_of_message(row);
    const auto joined = joined_.find(kind);
    return joined == joined_.end() ? kind : joined->second;
  }

 private:
  static void add_unpaired(const RunProfile& run, std::set<std::string>* unpaired) {
    for (const char* kind : {kBlocking, kNonBlocking}) {
      double sent = 0, received = 0;
      for (const MpiRow& row : run.mpi) {
        if (row.op_class != "p2p" || row.peer == "nobody" || kind_of_message(row) != kind) continue;
        const auto calls = static_cast<double>(row.calls);
        if (operation_has(row.op, "send")) sent += calls;
        if (operation_has(row.op, "recv")) received += calls;
      }
      if (std::abs(sent - received) > kUnpaired * std::max(sent, received)) unpaired->insert(kind);
    }
  }

  std::map<std::string, std::string> joined_;  // the name of the group, by kind
};

struct GroupTimes {
  std::set<std::string> ops;
  std::vector<double> seconds;  // per rank, in each run of a point
};
using TimesByGroup = std::map<std::string, GroupTimes>;

/// Adds the times of run number `r` of a point; false if its table of calls is not complete.
bool add_run(const RunProfile& run, Part part, const GroupNames& names, const MessageCosts& costs,
             std::size_t r, std::size_t runs, TimesByGroup* groups) {
  const std::vector<double> waited_s = waiting_in_rows(run, costs);
  const double ranks = static_cast<double>(run.times.main_s.per_rank.size());
  double in_rows_s = 0;
  for (std::size_t i = 0; i < run.mpi.size(); ++i) {
    const MpiRow& row = run.mpi[i];
    if (!belongs_to(part, row)) continue;
    GroupTimes& group = (*groups)[names.of(row)];
    group.ops.insert(row.op);
    group.seconds.resize(runs, 0);
    const double its_s = part == Part::kCommWait ? waited_s[i] : row.time_s - waited_s[i];
    group.seconds[r] += its_s / ranks;
    in_rows_s += row.time_s / ranks;
  }
  double all_s = 0;
  if (part != Part::kCommColl) all_s += run.times.mpi_p2p_s.mean();
  if (part != Part::kCommP2p) all_s += run.times.mpi_coll_s.mean();
  return std::abs(in_rows_s - all_s) <= kTableMisses * all_s;
}

/// The times at each usable point. Empty if a run does not show them.
std::vector<TimesByGroup> times_at_points(const Experiment& e, Part part,
                                          const std::vector<std::size_t>& used) {
  const MessageCosts costs = MessageCosts::of(e.runs);
  const GroupNames names(e, part);
  std::vector<TimesByGroup> points;
  for (const std::size_t i : used) {
    const std::vector<std::size_t>& runs = e.points[i].runs;
    TimesByGroup& groups = points.emplace_back();
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (!add_run(e.runs[runs[r]], part, names, costs, r, runs.size(), &groups)) return {};
  }
  return points;
}

struct Share {
  std::string group;
  double largest = 0;      // of the time at any point
  std::size_t points = 0;  // at which it takes time
};

/// The groups, the one with the largest share first.
std::vector<Share> largest_shares(const std::vector<TimesByGroup>& points) {
  std::map<std::string, Share> shares;
  for (const TimesByGroup& groups : points) {
    double all_s = 0;
    for (const auto& [name, times] : groups) all_s += measured(times.seconds).value;
    for (const auto& [name, times] : groups) {
      const double value_s = measured(times.seconds).value;
      Share& share = shares[name];
      share.group = name;
      share.largest = std::max(share.largest, all_s > 0 ? value_s / all_s : 0);
      share.points += value_s > 0;
    }
  }
  std::vector<Share> sorted;
  for (const auto& [name, share] : shares) sorted.push_back(share);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Share& a, const Share& b) { return a.largest > b.largest; });
  return sorted;
}

/// Groups that are fitted together, with the times of each point.
CallGroup joined(std::string name, const std::vector<std::string>& members,
                 const std::vector<TimesByGroup>& times, const std::vector<std::size_t>& used,
                 std::size_t points) {
  CallGroup group;
  group.name = std::move(name);
  group.seconds.resize(points);
  std::set<std::string> ops;
  for (std::size_t k = 0; k < used.size(); ++k) {
    std::vector<double> sum;
    for (const std::string& member : members) {
      const auto found = times[k].find(member);
      if (found == times[k].end()) continue;
      ops.insert(found->second.ops.begin(), found->second.ops.end());
      sum.resize(found->second.seconds.size(), 0);
      for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += found->second.seconds[r];
    }
    group.seconds[used[k]] = measured(sum);
  }
  group.ops.assign(ops.begin(), ops.end());
  return group;
}

}  // namespace

std::vector<CallGroup> call_groups(const Experiment& e, Part part) {
  const bool is_divisible =
      part == Part::kCommP2p || part == Part::kCommColl || part == Part::kCommWait;
  if (!mechanisms().call_groups || !is_divisible) return {};
  std::vector<std::size_t> used;
  std::set<int> counts;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    if (e.points[i].procs <= 1 || !measured_part(e.points[i].parts, part)) continue;
    used.push_back(i);
    counts.insert(e.points[i].procs);
  }
  if (counts.size() < 2) return {};
  const std::vector<TimesByGroup> times = times_at_points(e, part, used);
  if (times.empty()) return {};
  std::vector<std::pair<std::string, std::vector<std::string>>> members;  // by name
  std::vector<std::string> others;
  bool others_everywhere = false;
  for (const Share& share : largest_shares(times)) {
    const bool is_everywhere = share.points == times.size();
    if (share.largest >= kOwnLaw && !is_everywhere) return {};  // no law describes its times
    if (share.largest >= kOwnLaw && members.size() + 1 < kMostGroups) {
      members.push_back({share.group, {share.group}});
      continue;
    }
    others.push_back(share.group);
    others_everywhere = others_everywhere || is_everywhere;
  }
  if (!others_everywhere && !members.empty()) {
    // Their time is zero at some points, so they have no law of their own.
    members.back().second.insert(members.back().second.end(), others.begin(), others.end());
  } else if (!others.empty()) {
    const std::string name = others.size() > 1 ? of_others(part) : others.front();
    members.emplace_back(name, std::move(others));
  }
  if (members.size() < 2) return {};
  std::vector<CallGroup> groups;
  for (const auto& [name, its] : members)
    groups.push_back(joined(name, its, times, used, e.points.size()));
  return groups;
}

}  // namespace apmt
