#include "refine/culprit.h"

#include <algorithm>
#include <cmath>

#include "fitter/fit/fit.h"
#include "fitter/laws/law_catalog.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/validate.h"

namespace apmt {
namespace {

constexpr double kCountIsWrong = 0.05;  // if its relative error is larger, the count is the culprit

Experiment only(const Experiment& experiment, int procs, bool others) {
  std::vector<RunProfile> runs;
  for (const RunProfile& run : experiment.runs)
    if ((run.config.procs == procs) != others) runs.push_back(run);
  return make_experiment(std::move(runs), {.same_program = true});
}

double relative_error(const CountLaw& law, const std::vector<FitPoint>& points, int procs) {
  for (const FitPoint& p : points)
    if (p.procs == procs && p.value > 0) return law.value(procs, p.work) / p.value - 1;
  return 0;
}

/// Says what was predicted wrongly: the instruction count if its law is wrong, otherwise the cost
/// per instruction; the time if instructions were not counted.
std::string kernel_words(const KernelModel& before, const Model& now, int procs) {
  for (const KernelModel& k : now.kernels) {
    if (k.id != before.id) continue;
    for (const MetricModel& m : k.metrics)
      for (const MetricModel& old : before.metrics)
        if (m.metric == "instructions" && old.metric == m.metric)
          return (std::abs(relative_error(old.law, m.points, procs)) > kCountIsWrong
                      ? "instructions of "
                  : k.refined ? "CPI or blocking factor of "
                              : "CPI of ") +
                 before.name;
  }
  return "time of " + before.name;
}

std::string comm_words(Part part, const Model& before, const Model& now, int procs) {
  double worst = kCountIsWrong;
  std::string op;
  for (const CommModel& c : before.comm) {
    if (c.part != comm_name(part) || part == Part::kCommWait) continue;
    for (const CountModel& old : before.counts) {
      if (std::find(c.ops.begin(), c.ops.end(), old.op) == c.ops.end()) continue;
      for (const CountModel& count : now.counts) {
        if (count.op != old.op) continue;
        const double error =
            std::max(std::abs(relative_error(old.calls, count.calls_points, procs)),
                     std::abs(relative_error(old.bytes, count.bytes_points, procs)));
        if (error > worst) {
          worst = error;
          op = count.op;
        }
      }
    }
  }
  return op.empty() ? "unit cost of " + std::string(words(part)) : "volume of " + op;
}

}  // namespace

std::vector<Culprit> find_culprits(const Experiment& experiment, const Model& model,
                                   const FitOptions& options, const ModelRefiner& refine) {
  const int procs = model.max_procs();
  std::vector<Culprit> culprits;
  if (experiment.process_counts().size() < 3) return culprits;
  FitOptions same = options;
  same.work = model.work;
  Model before = fit_points(only(experiment, procs, true), same, read_law_catalog(options.configs));
  if (refine) refine(&before);
  const Validation v = validate(before, only(experiment, procs, false)).back();
  for (const Validation::Kernel& k : v.kernels) {
    Culprit c;
    c.part = key(Part::kComp);
    for (std::size_t i = 0; i < model.kernels.size(); ++i)
      if (model.kernels[i].id == before.kernels[k.index].id && model.kernels[i].name == k.name)
        c.kernel = i;
    c.words = kernel_words(before.kernels[k.index], model, procs);
    c.is_cpi = c.words.starts_with("CPI ");
    c.error_s = k.check.predicted.time_s - k.check.measured_s;
    culprits.push_back(std::move(c));
  }
  for (const Part part : kParts) {
    const auto found = v.parts.find(key(part));
    if (found == v.parts.end() || (part == Part::kComp && !v.kernels.empty())) continue;
    Culprit c;
    c.part = key(part);
    const bool is_comm = !comm_name(part).empty();
    c.words =
        is_comm ? comm_words(part, before, model, procs) : "time of " + std::string(words(part));
    c.error_s = found->second.predicted.time_s - found->second.measured_s;
    culprits.push_back(std::move(c));
  }
  double all = 0;
  for (const Culprit& c : culprits) all += std::abs(c.error_s);
  for (Culprit& c : culprits) c.share = all > 0 ? std::abs(c.error_s) / all : 0;
  std::stable_sort(culprits.begin(), culprits.end(), [](const Culprit& a, const Culprit& b) {
    return std::abs(a.error_s) > std::abs(b.error_s);
  });
  return culprits;
}

double culprit_width(const Culprit& culprit, const Prediction& p) {
  if (!(p.time.time_s > 0)) return 0;
  const auto width = [&](const TimeEstimate& t) { return (t.high_s - t.low_s) / p.time.time_s; };
  if (culprit.kernel)
    for (const PredictedKernel& k : p.kernels)
      if (k.index == *culprit.kernel) return width(k.time);
  for (const Part part : kParts)
    if (const auto& t = p.parts.*predicted_part(part); culprit.part == key(part) && t)
      return width(*t);
  return width(p.time);
}

}  // namespace apmt
