#include "reports/call_stacks.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace apmt {
namespace {

using Stack = std::vector<std::string>;

/// The frames of "main->solve->MPI_Send", below a frame for the program. The arrow in the name of
/// C++'s operator-> does not separate frames.
Stack frames_of(const std::string& program, std::string_view path) {
  Stack frames = {program};
  constexpr std::string_view kArrow = "->";
  constexpr std::string_view kOperator = "operator";
  for (std::size_t begin = 0, from = 0; begin <= path.size();) {
    std::size_t end = path.find(kArrow, from);
    if (end == std::string_view::npos) end = path.size();
    const std::string_view frame = path.substr(begin, end - begin);
    if (end < path.size() && frame.ends_with(kOperator)) {
      from = end + kArrow.size();
      continue;
    }
    if (!frame.empty()) frames.emplace_back(frame);
    begin = from = end + kArrow.size();
  }
  return frames;
}

/// The metric that `apmt import` took for the time: its values add up to the time of the run.
std::string time_metric(const RunProfile& profile) {
  std::map<std::string, double> sums;
  for (const ImportedValue& v : profile.imported) sums[v.metric] += v.value;
  const double whole = profile.times.main_s.max();
  const auto is_time = [&](const auto& sum) {
    constexpr double kRounding = 1e-9;
    return std::abs(sum.second - whole) <= kRounding * whole;
  };
  const auto usual = sums.find("time");
  if (usual != sums.end() && is_time(*usual)) return usual->first;
  const auto found = std::find_if(sums.begin(), sums.end(), is_time);
  return found == sums.end() ? "time" : found->first;
}

CallStacks imported_stacks(const RunProfile& profile) {
  CallStacks stacks;
  const std::string time = time_metric(profile);
  for (const ImportedValue& v : profile.imported)
    if (v.metric == time && v.value > 0) stacks[frames_of(profile.program, v.callpath)] += v.value;
  return stacks;
}

}  // namespace

bool leaves_out_mpi(const RunProfile& profile) {
  return profile.config.oversubscribed &&
         std::any_of(profile.mpi.begin(), profile.mpi.end(),
                     [](const MpiRow& row) { return row.time_s > 0; });
}

CallStacks call_stacks(const RunProfile& profile) {
  if (profile.sampling.source == kImported) return imported_stacks(profile);
  CallStacks stacks;
  for (const KernelProfile& kernel : profile.kernels) {
    const auto cpu = kernel.counters.find("cpu_s");
    if (cpu != kernel.counters.end() && cpu->second.total() > 0)
      stacks[{profile.program, kernel.name}] += cpu->second.total();
  }
  if (leaves_out_mpi(profile)) return stacks;
  for (const MpiRow& row : profile.mpi) {
    if (row.time_s <= 0) continue;
    Stack frames = {profile.program};
    if (!row.caller.empty()) frames.push_back(row.caller);
    frames.push_back(row.op);
    stacks[frames] += row.time_s;
  }
  return stacks;
}

}  // namespace apmt
