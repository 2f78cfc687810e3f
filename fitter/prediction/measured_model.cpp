#include "fitter/prediction/measured_model.h"

#include <utility>

#include "fitter/communication/own_calls.h"
#include "fitter/kernels/kernel_set.h"
#include "fitter/runs/spread.h"
#include "fitter/runs/work.h"

namespace apmt {
namespace {

std::vector<FitPoint> points_of(const Experiment& e, const std::vector<double>& work,
                                std::optional<Measured> MeasuredParts::*part) {
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < e.points.size(); ++i)
    if (const std::optional<Measured>& value = e.points[i].parts.*part)
      points.push_back(fit_point(e.points[i].procs, work[i], *value));
  return points;
}

}  // namespace

Model measured_model(const Experiment& e, const FitOptions& options) {
  Model model;
  model.program = e.program;
  model.grade = e.grade;
  model.scaling = e.scaling;
  model.is_virtual = e.is_virtual;
  model.threshold = options.threshold;
  model.warnings = e.warnings;
  const WorkChoice choice = choose_work(e, options.work);
  model.work = choice.expression.text();
  const std::vector<double>& work = choice.at_points;
  for (std::size_t i = 0; i < e.points.size(); ++i) {
    const ExperimentPoint& p = e.points[i];
    ModelPoint point;
    point.procs = p.procs;
    point.params = p.params;
    point.work = work[i];
    point.oversubscribed = p.oversubscribed;
    point.repetitions = p.elapsed_s.repetitions;
    point.elapsed_s = p.elapsed_s.value;
    point.rel_sigma = p.elapsed_s.rel_sigma;
    point.parts = p.parts;
    point.load_balance = p.load_balance;
    model.points.push_back(std::move(point));
  }
  model.kernels = select_kernels(e, work, options.threshold).kernels;
  for (const auto& [name, part] : {std::pair("p2p", &MeasuredParts::comm_p2p_s),
                                   std::pair("coll", &MeasuredParts::comm_coll_s),
                                   std::pair("wait", &MeasuredParts::comm_wait_s),
                                   std::pair("other", &MeasuredParts::comm_other_s)}) {
    CommModel comm;
    comm.part = name;
    comm.points = points_of(e, work, part);
    if (!comm.points.empty()) model.comm.push_back(std::move(comm));
  }
  fill_own_calls(e, work, model.comm, &model.kernels);
  model.off_cpu.points = points_of(e, work, &MeasuredParts::off_cpu_s);
  model.start.points = points_of(e, work, &MeasuredParts::start_s);
  model.end.points = points_of(e, work, &MeasuredParts::end_s);
  return model;
}

}  // namespace apmt
