#include "fitter/fit/measured_model.h"

#include "fitter/communication/own_calls.h"
#include "fitter/kernels/kernel_set.h"
#include "fitter/model/model_parts.h"
#include "fitter/runs/spread.h"
#include "fitter/runs/work.h"

namespace apmt {

Model described_model(const Experiment& e, double threshold) {
  Model model;
  model.program = e.program;
  model.grade = e.grade;
  model.scaling = e.scaling;
  model.is_virtual = e.is_virtual;
  model.threshold = threshold;
  model.warnings = e.warnings;
  return model;
}

ModelPoint measured_point(const ExperimentPoint& p, double work) {
  ModelPoint point;
  point.procs = p.procs;
  point.params = p.params;
  point.work = work;
  point.oversubscribed = p.oversubscribed;
  point.repetitions = p.elapsed_s.repetitions;
  point.elapsed_s = p.elapsed_s.value;
  point.rel_sigma = p.elapsed_s.rel_sigma;
  point.parts = p.parts;
  point.load_balance = p.load_balance;
  return point;
}

std::vector<FitPoint> measured_points(const Experiment& e, const std::vector<double>& work,
                                      std::optional<Measured> MeasuredParts::*part) {
  std::vector<FitPoint> points;
  for (std::size_t i = 0; i < e.points.size(); ++i)
    if (const std::optional<Measured>& value = e.points[i].parts.*part)
      points.push_back(fit_point(e.points[i].procs, work[i], *value));
  return points;
}

Model measured_model(const Experiment& e, const FitOptions& options) {
  Model model = described_model(e, options.threshold);
  const WorkChoice choice = choose_work(e, options.work);
  model.work = choice.expression.text();
  const std::vector<double>& work = choice.at_points;
  for (std::size_t i = 0; i < e.points.size(); ++i)
    model.points.push_back(measured_point(e.points[i], work[i]));
  model.kernels = select_kernels(e, work, options.threshold).kernels;
  for (const Part part : kParts) {
    if (comm_name(part).empty()) continue;
    CommModel comm;
    comm.part = comm_name(part);
    comm.points = measured_points(e, work, measured_part(part));
    if (!comm.points.empty()) model.comm.push_back(std::move(comm));
  }
  fill_own_calls(e, work, model.comm, &model.kernels);
  model.off_cpu.points = measured_points(e, work, &MeasuredParts::off_cpu_s);
  model.start.points = measured_points(e, work, &MeasuredParts::start_s);
  model.end.points = measured_points(e, work, &MeasuredParts::end_s);
  return model;
}

}  // namespace apmt
