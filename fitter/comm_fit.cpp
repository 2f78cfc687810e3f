#include "fitter/comm_fit.h"

#include <algorithm>
#include <map>
#include <set>

#include "fitter/comm_families.h"
#include "fitter/count_fit.h"
#include "fitter/spread.h"
#include "fitter/time_fit.h"

namespace apmt {
namespace {

constexpr double kLookAhead = 17;  // times the largest P: where alternatives are compared

struct OpSeries {
  std::string op_class;
  std::vector<double> calls;  // per run, all ranks
  std::vector<double> bytes;
};

std::map<std::string, OpSeries> join_ops(const Experiment& e) {
  std::map<std::string, OpSeries> ops;
  for (std::size_t r = 0; r < e.runs.size(); ++r) {
    const RunProfile& run = e.runs[r];
    // The other ranks represent those without a recording.
    const double scale = static_cast<double>(run.config.procs) /
                         static_cast<double>(run.times.main_s.per_rank.size());
    for (const MpiRow& row : run.mpi) {
      OpSeries& op = ops[row.op];
      op.op_class = row.op_class;
      op.calls.resize(e.runs.size(), 0);
      op.bytes.resize(e.runs.size(), 0);
      if (row.peer != "nobody")  // a call to MPI_PROC_NULL is no message
        op.calls[r] += scale * static_cast<double>(row.calls);
      op.bytes[r] +=
          scale * static_cast<double>(row.bytes_sent > 0 ? row.bytes_sent : row.bytes_received);
    }
  }
  return ops;
}

std::vector<FitPoint> points_of(const std::vector<double>& per_run, const Experiment& e,
                                const std::vector<double>& work) {
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    std::vector<double> values;
    for (const std::size_t r : e.points[i].runs) values.push_back(per_run[r]);
    points.push_back(fit_point(e.points[i].procs, work[i], measured(values)));
  }
  return points;
}

std::size_t distinct_procs(const std::vector<FitPoint>& points) {
  std::set<double> procs;
  for (const FitPoint& p : points) procs.insert(p.procs);
  return procs.size();
}

std::vector<FitPoint> without_serial(std::vector<FitPoint> points) {
  std::erase_if(points, [](const FitPoint& p) { return p.procs <= 1; });
  return points;
}

/// One process has no neighbours: where its count fits no law of the others, it is left out.
CountLaw fit_op(const std::vector<FitPoint>& points, const std::string& op_class,
                const LawCatalog& catalog) {
  const CountKind kind = op_class == "p2p" || op_class == "completion" || op_class == "one-sided"
                             ? CountKind::kNeighbours
                             : CountKind::kWhole;
  CountLaw law = fit_count(points, catalog, kind);
  if (law.is_exact()) return law;
  const std::vector<FitPoint> parallel = without_serial(points);
  if (parallel.size() == points.size() || distinct_procs(parallel) < 2) return law;
  CountLaw of_parallel = fit_count(parallel, catalog, kind);
  return of_parallel.is_exact() || law.hypotheses.empty() ? of_parallel : law;
}

bool is_send(const CountModel& m) { return m.op_class == "p2p" && operation_has(m.op, "send"); }
bool nothing(const CountModel&) { return false; }
bool is_collective(const CountModel& m) {
  return m.op_class == "collective" || m.op_class == "rooted";
}

const char* method_of(const TimeLaw& law) {
  if (law.kind == TimeLaw::Kind::kZero) return "zero";
  if (law.kind == TimeLaw::Kind::kExact) return "exact";
  if (law.kind == TimeLaw::Kind::kUnitCosts) return "counts";
  double counts = 0;
  for (const CountFamily& f : law.families) counts += f.posterior;
  return counts > 0.5 ? "counts" : "recipe";
}

}  // namespace

std::vector<CountModel> fit_counts(const Experiment& e, const std::vector<double>& work,
                                   const LawCatalog& catalog) {
  std::vector<CountModel> models;
  for (const auto& [name, series] : join_ops(e)) {
    CountModel m;
    m.op = name;
    m.op_class = series.op_class;
    m.calls_points = points_of(series.calls, e, work);
    m.bytes_points = points_of(series.bytes, e, work);
    m.calls = fit_op(m.calls_points, m.op_class, catalog);
    m.bytes = fit_op(m.bytes_points, m.op_class, catalog);
    models.push_back(std::move(m));
  }
  return models;
}

std::vector<CommModel> fit_comm(const Experiment& e, const std::vector<double>& work,
                                double linear_exponent, const std::vector<CountModel>& counts,
                                const LawCatalog& catalog, bool may_be_exact,
                                std::vector<std::string>* warnings) {
  struct Part {
    const char* name;
    const char* label;
    std::optional<Measured> MeasuredParts::*measured;
    bool (*member)(const CountModel&);
  };
  const Part parts[] = {{"p2p", "point-to-point", &MeasuredParts::comm_p2p_s, is_send},
                        {"coll", "collective", &MeasuredParts::comm_coll_s, is_collective},
                        {"wait", "other", &MeasuredParts::comm_wait_s, nothing},
                        {"other", "other MPI", &MeasuredParts::comm_other_s, nothing}};
  const double ahead = kLookAhead * e.points.back().procs;
  std::vector<FitPoint> path;  // P and D of the campaign, to compare laws where it is going
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    FitPoint point;
    point.procs = e.points[i].procs;
    point.work = work[i];
    path.push_back(point);
  }
  const double work_there = work_ahead(path, kLookAhead);
  std::vector<CommModel> models;
  for (const Part& part : parts) {
    CommModel m;
    m.part = part.name;
    m.method = "none";
    CountedOps ops;
    for (const CountModel& c : counts)
      if (part.member(c)) {
        ops.push_back(&c);
        m.ops.push_back(c.op);
      }
    for (std::size_t i = 0; i < e.points.size(); ++i)
      if (const auto& value = e.points[i].parts.*part.measured)
        m.points.push_back(fit_point(e.points[i].procs, work[i], *value));
    // One process does not communicate: its time in MPI says nothing about the others.
    std::vector<FitPoint> usable = without_serial(m.points);
    if (distinct_procs(usable) < 2) usable = m.points;
    if (distinct_procs(usable) < 2) {
      // Waiting is part of the first two parts: when they are missing, it is missing as well.
      if (m.part != "wait")
        warnings->push_back(
            std::string("the time in ") + part.label +
            " calls is not included in the total: runs without oversubscription exist at " +
            (usable.empty() ? "no process count" : "only one process count"));
    } else {
      TimeFitOptions options{
          .prior = std::string(part.name) == "wait" ? "waiting" : "communication",
          .size_rule = TimeLaw::SizeRule::kLinear,
          .linear_exponent = linear_exponent,
          .families = families_for(part.name, ops, ahead, work_there, linear_exponent),
          .may_be_exact = may_be_exact};
      m.law = fit_time(usable, catalog, std::move(options));
      m.method = method_of(*m.law);
    }
    models.push_back(std::move(m));
  }
  return models;
}

}  // namespace apmt
