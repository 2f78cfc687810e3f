#include "foreign/export.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/input_error.h"
#include "base/listed.h"
#include "fitter/runs/run_parts.h"

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

using RunValues = std::map<Key, double>;

RunValues parts_of_run(const RunProfile& run, bool oversubscribed) {
  RunValues values;
  if (run.sampling.source == kImported) {
    for (const ImportedValue& v : run.imported) values[{v.callpath, v.metric}] = v.value;
    return values;
  }
  const double ranks = static_cast<double>(run.times.main_s.per_rank.size());
  const double scale = elapsed_per_cpu(run);
  for (const auto& [name, kernel] : by_unique_name(run))
    for (const auto& [metric, counter] : kernel->counters) {
      const bool is_time = metric == kCpuMetric;
      values[{call_path(name), is_time ? "time" : metric}] =
          (is_time ? scale : 1) * counter.total() / ranks;
    }
  for (const MpiRow& row : run.mpi) {
    const std::string path = call_path(row.op);
    if (!oversubscribed) values[{path, "time"}] += row.time_s / ranks;
    values[{path, "calls"}] += static_cast<double>(row.calls) / ranks;
    values[{path, "bytes"}] += static_cast<double>(row.bytes_sent) / ranks;
  }
  return values;
}

/// Whether another tool's file shows that a run never entered a call path that other runs of the
/// point have: the run has the metric for other call paths, and nothing for this one.
bool never_entered(const Key& key, const RunValues& values) {
  const auto of_path = values.lower_bound({key.first, ""});
  if (of_path != values.end() && of_path->first.first == key.first) return false;
  return std::any_of(values.begin(), values.end(),
                     [&](const auto& one) { return one.first.second == key.second; });
}

/// Whether a missing value means zero. It does for a function without samples, and for an operation
/// that was never called. It does not for functions of a run without sampling, for times in MPI if
/// ranks shared cores, and for counters, which may have been counted in other runs only.
bool is_none_without(const Key& key, const RunProfile& run, const RunValues& values,
                     bool oversubscribed) {
  if (run.sampling.source == kImported) return never_entered(key, values);
  const bool of_mpi = key.first.starts_with(call_path("MPI_"));
  if (key.second == "time") return of_mpi ? !oversubscribed : run.grade != Grade::kD;
  return of_mpi && (key.second == "calls" || key.second == "bytes");
}

/// The values of one metric of one call path at one point, run by run; absent: not known.
using Repetitions = std::vector<std::optional<double>>;

/// Whether the formats can hold these values. The formats number repetitions by the order of the
/// values, so a count may be missing only for the last repetitions. A time must be known for all
/// repetitions.
bool can_be_written(const Key& key, const Repetitions& repetitions) {
  const auto is_known = [](const std::optional<double>& value) { return value.has_value(); };
  return key.second == "time"
             ? std::all_of(repetitions.begin(), repetitions.end(), is_known)
             : std::is_partitioned(repetitions.begin(), repetitions.end(), is_known);
}

}  // namespace

std::vector<ForeignValues> values_of(const Experiment& e, ExportOf what,
                                     std::vector<std::string>* left_out) {
  const bool taken = std::any_of(e.points.begin(), e.points.end(),
                                 [](const ExperimentPoint& p) { return p.params.count("p") > 0; });
  std::vector<RunValues> of_runs(e.runs.size());
  std::set<Key> everywhere;
  for (const ExperimentPoint& point : e.points)
    for (const std::size_t r : point.runs) {
      if (what == ExportOf::kTotal)
        of_runs[r][{"main", "time"}] = e.runs[r].times.wall_s.max();
      else
        of_runs[r] = parts_of_run(e.runs[r], point.oversubscribed);
      for (const auto& [key, value] : of_runs[r]) everywhere.insert(key);
    }
  std::map<Key, std::vector<ForeignValues>> by_key;  // the points of each key, in order
  for (const ExperimentPoint& point : e.points) {
    std::map<std::string, double> params = point.params;
    params[taken ? "procs" : "p"] = point.procs;
    std::map<Key, Repetitions> at_point;
    for (const Key& key : everywhere) {
      Repetitions repetitions;
      for (const std::size_t r : point.runs) {
        const auto found = of_runs[r].find(key);
        if (found != of_runs[r].end())
          repetitions.emplace_back(found->second);
        else if (is_none_without(key, e.runs[r], of_runs[r], point.oversubscribed))
          repetitions.emplace_back(0);
        else
          repetitions.emplace_back();
      }
      at_point[key] = std::move(repetitions);
    }
    // If none of a point's files from another tool has a call path, the call path was not measured
    // at this point.
    if (e.runs[point.runs.front()].sampling.source == kImported)
      std::erase_if(at_point, [&](const auto& series) {
        return std::none_of(point.runs.begin(), point.runs.end(),
                            [&](std::size_t r) { return of_runs[r].contains(series.first); });
      });
    for (const auto& [key, repetitions] : at_point) {
      std::vector<double> values;
      for (const std::optional<double>& value : repetitions)
        if (value) values.push_back(*value);
      if (values.empty()) continue;
      if (can_be_written(key, repetitions))
        by_key[key].push_back({key.first, key.second, params, std::move(values)});
      else if (left_out != nullptr)
        left_out->push_back(key.first + " (" + key.second + ")");
    }
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

namespace {

bool have_same_names(const std::map<std::string, double>& a,
                     const std::map<std::string, double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

}  // namespace

std::string to_extrap_text(const std::vector<ForeignValues>& values,
                           std::vector<std::string>* left_out) {
  using Point = std::map<std::string, double>;
  std::set<Point> points;
  std::map<Key, std::map<Point, const ForeignValues*>> rows;
  for (const ForeignValues& v : values) {
    if (!have_same_names(v.params, values.front().params))
      throw InputError("",
                       "the runs have different parameters: " + listed(v.params) + " and " +
                           listed(values.front().params),
                       "the text format has the same ones at every point: use --format jsonl");
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
    text += "\n";
    if (!key.first.empty()) text += "REGION " + key.first + "\n";
    text += "METRIC " + key.second + "\n";
    for (const auto& [point, v] : row) {
      text += "DATA";
      for (const double value : v->values) text += " " + shortest(value);
      text += "\n";
    }
  }
  return text;
}

}  // namespace apmt
