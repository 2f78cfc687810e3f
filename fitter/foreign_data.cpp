#include "fitter/foreign_data.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "base/input_error.h"
#include "base/listed.h"
#include "base/words.h"
#include "fitter/run_parts.h"

namespace apmt {
namespace {

constexpr double kSamples = 1 << 30;  // so many that a time without samples has no sampling error
constexpr std::array<const char*, 10> kProcsNames = {
    "p", "P", "procs", "processes", "nprocs", "ranks", "np", "process", "proc", "cores"};

using Point = std::map<std::string, double>;
using Values = std::map<std::pair<std::string, std::string>, std::vector<double>>;  // path, metric

std::string procs_parameter(const std::vector<ForeignValues>& values, const std::string& asked) {
  std::set<std::string> names;
  for (const ForeignValues& v : values)
    for (const auto& [name, value] : v.params) names.insert(name);
  if (!asked.empty()) {
    if (names.count(asked) > 0) return asked;
    throw InputError("", "no parameter is called '" + asked + "'",
                     "the data have: " + listed(names));
  }
  for (const char* name : kProcsNames)
    if (names.count(name) > 0) return name;
  throw InputError("", "it is not clear which parameter is the number of processes",
                   "name it: --procs-from NAME (the data have: " + listed(names) + ")");
}

std::string time_metric(const std::vector<ForeignValues>& values, const std::string& asked) {
  std::set<std::string> names;
  for (const ForeignValues& v : values) names.insert(v.metric);
  const std::string wanted = asked.empty() ? "time" : asked;
  if (names.count(wanted) > 0) return wanted;
  if (asked.empty() && names.size() == 1) return *names.begin();
  throw InputError(
      "", "no metric is called '" + wanted + "'",
      "name the one that is seconds: --time NAME (the data have: " + listed(names) + ")");
}

std::string leaf_of(const std::string& callpath) {
  const std::size_t arrow = callpath.rfind("->");
  return arrow == std::string::npos ? callpath : callpath.substr(arrow + 2);
}

bool is_mpi(const std::string& leaf) { return leaf.rfind("MPI_", 0) == 0; }

int procs_of(const Point& point, const std::string& name) {
  const auto found = point.find(name);
  const double p = found == point.end() ? 0 : found->second;
  if (p < 1 || p > (1 << 24) || p != std::floor(p))
    throw InputError("", "expected a whole number of processes in '" + name + "', found " +
                             (found == point.end() ? "none" : shortest(p)));
  return static_cast<int>(p);
}

/// Foreign data have no ranks, so the profile has a single rank that represents all.
RunProfile empty_profile(const std::string& program, int procs, int repetition) {
  RunProfile p;
  p.program = program;
  p.config.procs = procs;
  p.config.repetition = repetition;
  p.sampling.source = kImported;
  p.health.ranks_expected = p.health.ranks_present = 1;
  for (Column RankTimes::*column :
       {&RankTimes::wall_s, &RankTimes::init_s, &RankTimes::finalize_s, &RankTimes::main_s,
        &RankTimes::mpi_s, &RankTimes::mpi_p2p_s, &RankTimes::mpi_coll_s, &RankTimes::mpi_other_s,
        &RankTimes::sampled_cpu_s})
    (p.times.*column).per_rank = {0};
  return p;
}

void add_counter(KernelProfile* kernel, const std::string& metric, double value,
                 Provenance provenance) {
  if (value <= 0) return;
  Counter& c = kernel->counters[metric];
  c.provenance = provenance;
  c.event = kImported;
  c.unit_per_sample = value / kSamples;
  c.samples = {static_cast<std::uint64_t>(kSamples)};
}

std::string counter_name(const std::string& metric) {
  return metric == "PAPI_TOT_INS" || metric == "ins" ? "instructions" : metric;
}

/// The profile of several call paths: kernels with their counters, and times inside MPI.
RunProfile profile_of_parts(const std::string& program, int procs, int repetition,
                            const Values& values, const std::string& time, double per_rank) {
  RunProfile p = empty_profile(program, procs, repetition);
  p.grade = Grade::kC;
  RankTimes& t = p.times;
  std::map<std::string, KernelProfile> kernels;
  for (const auto& [key, list] : values) {
    const auto& [callpath, metric] = key;
    const double value = list[static_cast<std::size_t>(repetition - 1)] * per_rank;
    const std::string leaf = leaf_of(callpath);
    if (is_mpi(leaf)) {
      if (metric != time) continue;
      (t.*part_of_operation(leaf)).per_rank[0] += value;
      t.mpi_s.per_rank[0] += value;
      continue;
    }
    KernelProfile& k = kernels[callpath];
    k.id = {program, callpath, ""};
    k.name = callpath;
    if (metric != time) {
      add_counter(&k, counter_name(metric), value, Provenance::kHardware);
      continue;
    }
    add_counter(&k, kCpuMetric, value, Provenance::kClock);
    t.sampled_cpu_s.per_rank[0] += value;
  }
  t.main_s.per_rank[0] = t.sampled_cpu_s.per_rank[0] + t.mpi_s.per_rank[0];
  t.wall_s = t.main_s;
  for (auto& [callpath, kernel] : kernels) p.kernels.push_back(std::move(kernel));
  return p;
}

/// Whether the operation is one of `bases` or a variant of it: MPI_Iallreduce_init counts as
/// MPI_Allreduce.
bool is_one_of(std::string_view operation, std::initializer_list<std::string_view> bases) {
  if (operation.ends_with("_init")) operation.remove_suffix(5);
  const auto is_base = [&](std::string_view name) {
    return std::find(bases.begin(), bases.end(), name) != bases.end();
  };
  if (is_base(operation)) return true;
  if (!operation.starts_with('I') || operation.size() < 2) return false;
  const std::string blocking =
      static_cast<char>(std::toupper(operation[1])) + std::string(operation.substr(2));
  return is_base(blocking);
}

}  // namespace

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

Column RankTimes::*part_of_operation(const std::string& name) {
  if (name == kPointToPointPart) return &RankTimes::mpi_p2p_s;
  if (name == kCollectivePart) return &RankTimes::mpi_coll_s;
  std::string_view operation = name;
  if (operation.starts_with("MPI_")) operation.remove_prefix(4);
  if (operation.ends_with("_c")) operation.remove_suffix(2);  // suffix for large counts
  if (operation.starts_with("Neighbor_") || operation.starts_with("Ineighbor_") ||
      is_one_of(operation,
                {"Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Alltoallw",
                 "Barrier", "Bcast", "Exscan", "Gather", "Gatherv", "Reduce", "Reduce_scatter",
                 "Reduce_scatter_block", "Scan", "Scatter", "Scatterv"}))
    return &RankTimes::mpi_coll_s;
  if (is_one_of(operation, {"Send",         "Bsend",
                            "Ssend",        "Rsend",
                            "Recv",         "Mrecv",
                            "Psend",        "Precv",
                            "Sendrecv",     "Sendrecv_replace",
                            "Probe",        "Mprobe",
                            "Wait",         "Waitall",
                            "Waitany",      "Waitsome",
                            "Test",         "Testall",
                            "Testany",      "Testsome",
                            "Start",        "Startall",
                            "Pready",       "Pready_list",
                            "Pready_range", "Parrived",
                            "Request_free", "Request_get_status"}))
    return &RankTimes::mpi_p2p_s;
  return &RankTimes::mpi_other_s;
}

RunProfile profile_of_total(const std::string& program, int procs, int repetition,
                            double elapsed_s) {
  RunProfile p = empty_profile(program, procs, repetition);
  p.grade = Grade::kD;
  p.times.wall_s.per_rank[0] = p.times.main_s.per_rank[0] = elapsed_s;
  return p;
}

std::vector<RunProfile> profiles_from(const std::vector<ForeignValues>& values,
                                      const ForeignOptions& options) {
  if (values.empty())
    throw InputError("", "no measurement in the file", {}, ExitCode::kNotEnoughData);
  const std::string procs_name = procs_parameter(values, options.procs_from);
  const std::string time = time_metric(values, options.time_metric);
  std::map<Point, Values> points;
  std::set<std::string> timed;
  for (const ForeignValues& v : values) {
    for (const double x : v.values)
      if (!std::isfinite(x) || x < 0)
        throw InputError(
            "", "expected values that are not negative, found " + shortest(x) +
                    (v.callpath.empty() ? " for the whole program" : " in '" + v.callpath + "'"));
    std::vector<double>& list = points[v.params][{v.callpath, v.metric}];
    list.insert(list.end(), v.values.begin(), v.values.end());
    if (v.metric == time) timed.insert(v.callpath);
  }
  std::vector<RunProfile> profiles;
  for (const auto& [point, at_point] : points) {
    const int procs = procs_of(point, procs_name);
    std::size_t repetitions = SIZE_MAX;  // the number that every call path has
    for (const auto& [key, list] : at_point) repetitions = std::min(repetitions, list.size());
    const double per_rank = options.summed ? 1.0 / procs : 1;
    for (std::size_t r = 0; r < repetitions; ++r) {
      const int repetition = static_cast<int>(r) + 1;
      if (timed.size() == 1) {
        const auto total = at_point.find({*timed.begin(), time});
        if (total == at_point.end()) continue;
        profiles.push_back(
            profile_of_total(options.program, procs, repetition, total->second[r] * per_rank));
      } else {
        profiles.push_back(
            profile_of_parts(options.program, procs, repetition, at_point, time, per_rank));
      }
      if (profiles.back().times.main_s.per_rank[0] <= 0)
        throw InputError(
            "", "no time at " + counted(procs, "process", "processes") + ": a run takes some",
            "leave the point out when its time is not known");
      profiles.back().config.params = point;
      profiles.back().config.params.erase(procs_name);
    }
  }
  return profiles;
}

}  // namespace apmt
