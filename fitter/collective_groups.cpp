#include "fitter/collective_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fitter/mechanisms.h"
#include "fitter/prediction.h"
#include "fitter/run_parts.h"
#include "fitter/spread.h"

namespace apmt {
namespace {

constexpr double kOwnLaw = 0.05;        // share of the time at any point that makes a group
constexpr std::size_t kMostGroups = 6;  // including the group of all others
constexpr double kTableMisses = 0.02;   // share of the time that rows of the MPI table may lack

/// Seconds per rank in each run of a point, by operation.
using SecondsByOp = std::map<std::string, std::vector<double>>;

/// Adds the times of run number `r` of a point; false if its table of calls is not complete.
bool add_run(const RunProfile& run, const MessageCosts& costs, std::size_t r, std::size_t runs,
             SecondsByOp* by_op) {
  const std::vector<double> waited_s = waiting_in_rows(run, costs);
  const double ranks = static_cast<double>(run.times.main_s.per_rank.size());
  double in_rows_s = 0;
  for (std::size_t i = 0; i < run.mpi.size(); ++i) {
    const MpiRow& row = run.mpi[i];
    if (row.op_class != "collective" && row.op_class != "rooted") continue;
    std::vector<double>& seconds = (*by_op)[row.op];
    seconds.resize(runs, 0);
    seconds[r] += (row.time_s - waited_s[i]) / ranks;
    in_rows_s += row.time_s / ranks;
  }
  const double all_s = run.times.mpi_coll_s.mean();
  return std::abs(in_rows_s - all_s) <= kTableMisses * all_s;
}

/// The times at each usable point. Empty if a run does not show them.
std::vector<SecondsByOp> times_at_points(const Experiment& e,
                                         const std::vector<std::size_t>& used) {
  const MessageCosts costs = MessageCosts::of(e.runs);
  std::vector<SecondsByOp> points;
  for (const std::size_t i : used) {
    const std::vector<std::size_t>& runs = e.points[i].runs;
    SecondsByOp& by_op = points.emplace_back();
    for (std::size_t r = 0; r < runs.size(); ++r)
      if (!add_run(e.runs[runs[r]], costs, r, runs.size(), &by_op)) return {};
  }
  return points;
}

struct Share {
  std::string op;
  double largest = 0;      // of the time at any point
  std::size_t points = 0;  // at which it takes time
};

/// The operations, the one with the largest share first.
std::vector<Share> largest_shares(const std::vector<SecondsByOp>& points) {
  std::map<std::string, Share> shares;
  for (const SecondsByOp& by_op : points) {
    double all_s = 0;
    for (const auto& [op, seconds] : by_op) all_s += measured(seconds).value;
    for (const auto& [op, seconds] : by_op) {
      const double value_s = measured(seconds).value;
      Share& share = shares[op];
      share.op = op;
      share.largest = std::max(share.largest, all_s > 0 ? value_s / all_s : 0);
      share.points += value_s > 0;
    }
  }
  std::vector<Share> sorted;
  for (const auto& [op, share] : shares) sorted.push_back(share);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Share& a, const Share& b) { return a.largest > b.largest; });
  return sorted;
}

/// The times of some operations together.
std::vector<double> sum_of(const SecondsByOp& by_op, const std::vector<std::string>& ops) {
  std::vector<double> sum;
  for (const std::string& op : ops) {
    const auto found = by_op.find(op);
    if (found == by_op.end()) continue;
    sum.resize(found->second.size(), 0);
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += found->second[r];
  }
  return sum;
}

}  // namespace

std::vector<CollectiveGroup> collective_groups(const Experiment& e) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < e.points.size(); ++i)
    if (e.points[i].procs > 1 && e.points[i].parts.comm_coll_s) used.push_back(i);
  std::set<int> counts;
  for (const std::size_t i : used) counts.insert(e.points[i].procs);
  if (counts.size() < 2 || !mechanisms().collective_groups) return {};
  const std::vector<SecondsByOp> times = times_at_points(e, used);
  if (times.empty()) return {};
  std::vector<CollectiveGroup> groups;
  std::vector<std::string> others;
  bool others_everywhere = false;
  for (const Share& share : largest_shares(times)) {
    const bool is_everywhere = share.points == times.size();
    if (share.largest >= kOwnLaw && !is_everywhere) return {};  // no law describes its times
    if (share.largest >= kOwnLaw && groups.size() + 1 < kMostGroups) {
      groups.push_back({share.op, {share.op}, {}});
      continue;
    }
    others.push_back(share.op);
    others_everywhere = others_everywhere || is_everywhere;
  }
  if (!others_everywhere && !groups.empty()) {
    // Their time is zero at some points, so they have no law of their own.
    groups.back().ops.insert(groups.back().ops.end(), others.begin(), others.end());
  } else if (!others.empty()) {
    const std::string name = others.size() == 1 ? others.front() : kOtherCollectives;
    groups.push_back({name, std::move(others), {}});
  }
  if (groups.size() < 2) return {};
  for (CollectiveGroup& group : groups) {
    group.seconds.resize(e.points.size());
    for (std::size_t k = 0; k < used.size(); ++k)
      group.seconds[used[k]] = measured(sum_of(times[k], group.ops));
  }
  return groups;
}

}  // namespace apmt
