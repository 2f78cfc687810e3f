#include "fitter/foreign_export.h"

#include <algorithm>
#include <set>

#include "fitter/run_parts.h"

namespace apmt {
namespace {

using Key = std::pair<std::string, std::string>;  // call path, metric

std::string call_path(const std::string& name) { return "main->" + name; }

/// The functions of a run, each under a name that is unique.
std::map<std::string, const KernelProfile*> by_unique_name(const RunProfile& run) {
  std::map<std::string, int> times_seen;
  for (const KernelProfile& k : run.kernels) ++times_seen[k.name];
  std::map<std::string, const KernelProfile*> named;
  for (const KernelProfile& k : run.kernels) {
    std::string name = k.name;
    if (times_seen[k.name] > 1)
      name += " [" + (k.id.source.empty() ? k.id.object : k.id.source) + "]";
    named.emplace(name, &k);
  }
  return named;
}

std::map<Key, double> parts_of_run(const RunProfile& run, bool oversubscribed) {
  std::map<Key, double> values;
  const double ranks = static_cast<double>(run.times.main_s.per_rank.size());
  // Runs imported from another tool have call paths as names, and of MPI only its parts.
  const bool imported = run.sampling.source == kImported;
  const double scale = imported ? 1 : elapsed_per_cpu(run);
  for (const auto& [name, kernel] : by_unique_name(run))
    for (const auto& [metric, counter] : kernel->counters) {
      const bool is_time = metric == kCpuMetric;
      values[{imported ? name : call_path(name), is_time ? "time" : metric}] =
          (is_time ? scale : 1) * counter.total() / ranks;
    }
  if (imported)
    for (const auto& [name, column] : {std::pair(kPointToPointPart, &run.times.mpi_p2p_s),
                                       std::pair(kCollectivePart, &run.times.mpi_coll_s),
                                       std::pair(kOtherMpiPart, &run.times.mpi_other_s)})
      if (column->mean() > 0) values[{call_path(name), "time"}] = column->mean();
  for (const MpiRow& row : run.mpi) {
    const std::string path = call_path(row.op);
    if (!oversubscribed) values[{path, "time"}] += row.time_s / ranks;
    values[{path, "calls"}] += static_cast<double>(row.calls) / ranks;
    values[{path, "bytes"}] += static_cast<double>(row.bytes_sent) / ranks;
  }
  return values;
}

/// Whether a missing value means zero: a function without samples, or an operation that was never
/// called. Not so for functions without sampling, for times in MPI if ranks shared cores, and for
/// counters, which may have been counted in other runs.
bool is_none_without(const Key& key, const RunProfile& run, bool oversubscribed) {
  const bool of_mpi = key.first.starts_with(call_path("MPI_"));
  if (key.second == "time") return of_mpi ? !oversubscribed : run.grade != Grade::kD;
  return of_mpi && (key.second == "calls" || key.second == "bytes");
}

}  // namespace

std::vector<ForeignValues> values_of(const Experiment& e, ExportOf what) {
  const bool taken = std::any_of(e.points.begin(), e.points.end(),
                                 [](const ExperimentPoint& p) { return p.params.count("p") > 0; });
  std::vector<std::map<Key, double>> of_runs(e.runs.size());
  std::set<Key> everywhere;
  for (const ExperimentPoint& point : e.points)
    for (const std::size_t r : point.runs) {
      if (what == ExportOf::kTotal)
        of_runs[r][{"main", "time"}] = e.runs[r].times.wall_s.max();
      else
        of_runs[r] = parts_of_run(e.runs[r], point.oversubscribed);
      for (const auto& [key, value] : of_runs[r]) everywhere.insert(key);
    }
  std::map<Key, std::vector<ForeignValues>> by_key;  // points of each in order
  for (const ExperimentPoint& point : e.points) {
    std::map<std::string, double> params = point.params;
    params[taken ? "procs" : "p"] = point.procs;
    std::map<Key, std::vector<double>> at_point;
    for (const std::size_t r : point.runs)
      for (const Key& key : everywhere) {
        const auto found = of_runs[r].find(key);
        if (found != of_runs[r].end())
          at_point[key].push_back(found->second);
        else if (is_none_without(key, e.runs[r], point.oversubscribed))
          at_point[key].push_back(0);
      }
    for (auto& [key, values] : at_point)
      if (values.size() == point.runs.size())
        by_key[key].push_back({key.first, key.second, params, std::move(values)});
  }
  std::vector<ForeignValues> all;
  for (auto& [key, list] : by_key)
    for (ForeignValues& v : list) all.push_back(std::move(v));
  return all;
}

std::string to_extrap_json_lines(const std::vector<ForeignValues>& values) {
  std::string text;
  for (const ForeignValues& v : values)
    for (const double value : v.values)
      text += Json{{"params", v.params},
                   {"callpath", v.callpath},
                   {"metric", v.metric},
                   {"value", value}}
                  .dump() +
              "\n";
  return text;
}

std::string to_extrap_text(const std::vector<ForeignValues>& values,
                           std::vector<std::string>* left_out) {
  using Point = std::map<std::string, double>;
  std::set<Point> points;
  std::map<Key, std::map<Point, const ForeignValues*>> rows;
  for (const ForeignValues& v : values) {
    points.insert(v.params);
    rows[{v.callpath, v.metric}][v.params] = &v;
  }
  std::string text;
  if (points.empty()) return text;
  const bool several = points.begin()->size() > 1;
  for (const auto& [name, value] : *points.begin()) text += "PARAMETER " + name + "\n";
  text += "POINTS";
  for (const Point& point : points) {
    std::string coordinates;
    for (const auto& [name, value] : point)
      coordinates += (coordinates.empty() ? "" : " ") + shortest(value);
    text += several ? " ( " + coordinates + " )" : " " + coordinates;
  }
  text += "\n";
  for (const auto& [key, row] : rows) {
    if (row.size() != points.size()) {
      left_out->push_back(key.first + " (" + key.second + ")");
      continue;
    }
    text += "\nREGION " + key.first + "\nMETRIC " + key.second + "\n";
    for (const auto& [point, v] : row) {
      text += "DATA";
      for (const double value : v->values) text += " " + shortest(value);
      text += "\n";
    }
  }
  return text;
}

}  // namespace apmt
