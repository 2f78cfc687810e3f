#include "foreign/data.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <string_view>

#include "base/input_error.h"
#include "base/words.h"
#include "fitter/runs/run_parts.h"
#include "foreign/names.h"

namespace apmt {
namespace {

constexpr double kSamples = 1 << 30;  // enough to make the sampling error negligible

using Point = std::map<std::string, double>;
using Key = std::pair<std::string, std::string>;  // call path, metric
using Series = std::map<Key, std::vector<double>>;
using RunValues = std::map<Key, double>;

std::string leaf_of(const std::string& callpath) {
  const std::size_t arrow = callpath.rfind("->");
  return arrow == std::string::npos ? callpath : callpath.substr(arrow + 2);
}

bool is_mpi(const std::string& leaf) { return leaf.rfind("MPI_", 0) == 0; }

int procs_of(const Point& point, const std::string& name, const std::string& place) {
  const auto found = point.find(name);
  const double p = found == point.end() ? 0 : found->second;
  if (p < 1 || p > (1 << 24) || p != std::floor(p))
    throw InputError(place, "expected a whole number of processes in '" + name + "', found " +
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

/// A profile made from values per call path: kernels with their counters, and times inside MPI.
RunProfile profile_of_parts(const std::string& program, int procs, int repetition,
                            const RunValues& values, const std::string& time) {
  RunProfile p = empty_profile(program, procs, repetition);
  p.grade = Grade::kC;
  RankTimes& t = p.times;
  std::map<std::string, KernelProfile> kernels;
  for (const auto& [key, value] : values) {
    const auto& [callpath, metric] = key;
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

/// Whether the operation is one of `bases` or a variant of it: MPI_Iallreduce and
/// MPI_Allreduce_init count as MPI_Allreduce.
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

/// The number of repetitions of a point in a file: the smallest number of measured times of any
/// call path.
std::size_t repetitions_of(const Series& series, const std::string& time) {
  std::size_t fewest = SIZE_MAX;
  for (const auto& [key, list] : series)
    if (key.second == time) fewest = std::min(fewest, list.size());
  return fewest == SIZE_MAX ? 0 : fewest;
}

/// Lists the series that have more values than the point has repetitions.
void note_surplus(const Series& series, std::size_t repetitions, int procs,
                  std::vector<std::string>* left_out) {
  for (const auto& [key, list] : series)
    if (list.size() > repetitions)
      left_out->push_back(counted(list.size() - repetitions, "value") + " of '" + key.second +
                          "' in '" + key.first + "' at " + counted(procs, "process", "processes"));
}

/// The values of one repetition. Counters may have been measured less often than times.
RunValues values_of_repetition(const Series& series, std::size_t repetition, double per_rank) {
  RunValues run;
  for (const auto& [key, list] : series)
    if (repetition < list.size()) run[key] = list[repetition] * per_rank;
  return run;
}

}  // namespace

std::string shortest(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

Column RankTimes::*part_of_operation(const std::string& name) {
  // Older versions of apmt exported parts of MPI under these names.
  if (name == "MPI_ (point-to-point)") return &RankTimes::mpi_p2p_s;
  if (name == "MPI_ (collectives)") return &RankTimes::mpi_coll_s;
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
                                      const ForeignOptions& options,
                                      std::vector<std::string>* left_out) {
  if (values.empty())
    throw InputError("", "no measurement in the file", {}, ExitCode::kNotEnoughData);
  ForeignOptions settled = options;
  settle_names(values, &settled);
  const std::string& procs_name = settled.procs_from;
  const std::string& time = settled.time_metric;
  std::map<Point, std::map<std::size_t, Series>> points;        // by point, then by file
  std::map<std::pair<Point, std::size_t>, std::string> places;  // of the first values of a point
  std::set<std::string> timed;
  for (const ForeignValues& v : values) {
    for (const double x : v.values)
      if (!std::isfinite(x) || x < 0)
        throw InputError(v.place, "expected values that are not negative, found " + shortest(x) +
                                      (v.callpath.empty() ? " for the whole program"
                                                          : " in '" + v.callpath + "'"));
    places.emplace(std::pair(v.params, v.file), v.place);
    std::vector<double>& list = points[v.params][v.file][{v.callpath, v.metric}];
    list.insert(list.end(), v.values.begin(), v.values.end());
    if (v.metric == time) timed.insert(v.callpath);
  }
  std::vector<RunProfile> profiles;
  for (const auto& [point, files] : points) {
    const int procs = procs_of(point, procs_name, places.at({point, files.begin()->first}));
    const double per_rank = options.summed ? 1.0 / procs : 1;
    int repetition = 0;
    for (const auto& [file, series] : files) {
      const std::size_t repetitions = repetitions_of(series, time);
      if (left_out != nullptr) note_surplus(series, repetitions, procs, left_out);
      for (std::size_t r = 0; r < repetitions; ++r) {
        const RunValues run = values_of_repetition(series, r, per_rank);
        ++repetition;
        if (timed.size() > 1)
          profiles.push_back(profile_of_parts(options.program, procs, repetition, run, time));
        else
          profiles.push_back(
              profile_of_total(options.program, procs, repetition, run.at({*timed.begin(), time})));
        RunProfile& profile = profiles.back();
        if (profile.times.main_s.per_rank[0] <= 0)
          throw InputError(
              places.at({point, file}),
              "no time at " + counted(procs, "process", "processes") + ": a run takes some",
              "leave the point out when its time is not known");
        for (const auto& [key, value] : run)
          profile.imported.push_back({key.first, key.second, value});
        profile.config.params = point;
        profile.config.params.erase(procs_name);
      }
    }
  }
  if (profiles.empty())
    throw InputError("", "no value of '" + time + "' in the file", {}, ExitCode::kNotEnoughData);
  return profiles;
}

}  // namespace apmt
