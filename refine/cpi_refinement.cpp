#include "refine/cpi_refinement.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/input_error.h"
#include "fitter/computation/cost_fit.h"
#include "fitter/fit/fit.h"
#include "fitter/laws/law_catalog.h"
#include "fitter/prediction/prediction.h"
#include "fitter/runs/spread.h"
#include "fitter/runs/work.h"
#include "fitter/times/draw_places.h"

namespace apmt {
namespace {

using Place = std::pair<int, std::map<std::string, double>>;  // procs and sizes of a run

/// The ratio of the highest to the lowest frequency of these runs.
double frequency_ratio(const std::vector<CpiObservation>& all) {
  const auto [low, high] = std::ranges::minmax_element(all, {}, &CpiObservation::frequency_hz);
  return all.empty() ? 1 : high->frequency_hz / low->frequency_hz;
}

/// The runs at the process count and sizes at which the frequencies differ most.
std::vector<CpiObservation> widest_place(const std::vector<CpiObservation>& all) {
  std::map<Place, std::vector<CpiObservation>> places;
  for (const CpiObservation& o : all) places[{o.procs, o.params}].push_back(o);
  std::vector<CpiObservation> widest;
  for (auto& [place, here] : places)
    if (widest.empty() || frequency_ratio(here) > frequency_ratio(widest)) widest = here;
  return widest;
}

CpiLine best_line(const std::vector<CpiObservation>& all) {
  const std::vector<CpiObservation> here = widest_place(all);
  CpiLine line = fit_frequency_line(here);
  if (line.is_usable()) return line;
  const CpiLine spread = fit_spread_line(all);
  if (spread.is_usable()) return spread;
  const bool has_frequencies = frequency_ratio(here) > 1.02;
  // If setting the frequency had no effect, all runs have the same frequency, and
  // differs_from_asked() says so in `line`.
  return has_frequencies || differs_from_asked(all, &line) ? line : spread;
}

/// Fills in `cpi_before` and `bf_before`, from the runs to which the model was fitted.
void describe_before(const Experiment& experiment, const KernelModel& kernel,
                     const MemoryCosts& costs, RefinedKernel* refined) {
  std::vector<double> total_cpi;
  std::vector<double> core_cpi;
  std::vector<double> bf;
  for (const RunProfile& run : experiment.runs) {
    const auto o = observe_cpi(run, kernel.id, costs);
    if (!o) continue;
    total_cpi.push_back(o->cpi);
    if (o->stall_cpi) core_cpi.push_back(o->cpi - *o->stall_cpi);
    if (const auto share = stalled_share_of_memory(run, kernel.id, costs)) bf.push_back(*share);
  }
  // All runs are compared in the same way: without stalls only if every run counted them.
  refined->is_cpi_before_total = core_cpi.size() < total_cpi.size();
  if (!total_cpi.empty())
    refined->line.cpi_before = median(refined->is_cpi_before_total ? total_cpi : core_cpi);
  if (!bf.empty()) refined->line.bf_before = median(bf);
}

/// The core frequency of the runs that the model was fitted to; its times hold at this frequency.
double model_frequency(const Experiment& experiment, const MemoryCosts& costs) {
  std::vector<double> all;
  for (const RunProfile& run : experiment.runs)
    if (const auto f = measured_frequency(run)) all.push_back(f->hz);
  return all.empty() ? costs.frequency_hz.value_or(0) : median(all);
}

/// The costs of core and memory from runs at several frequencies alone, for a kernel whose accesses
/// were not counted. Their sum is the measured time, so their errors have opposite signs: if one is
/// too high, the other is too low.
MemorySplit split_by_frequencies(const KernelModel& kernel, const CpiRefinement& line,
                                 double frequency_hz) {
  MemorySplit split;
  split.from = "frequencies";
  split.core = split.unhidden = {.terms = {{.coefficient = 1}}, .free_numbers = 1};  // constants
  for (const double z : normals_of_ways(seed_of(kernel.name + " at frequencies")))
    split.ways.push_back({std::max(line.cpi_core - z * line.cpi_core_se, 0.0) / frequency_hz,
                          std::max(line.blocked_s + z * line.blocked_s_se, 0.0), 0});
  return split;
}

bool is_of(const Experiment& experiment, const RunProfile& run) {
  return std::ranges::any_of(experiment.runs, [&](const RunProfile& own) {
    return own.config.procs == run.config.procs && own.config.repetition == run.config.repetition &&
           own.times.wall_s.per_rank == run.times.wall_s.per_rank;
  });
}

/// A kernel's pace (seconds per instruction) in each run to which its CPI line was fitted. Runs of
/// the experiment are left out, because the model already uses them. `usual_hz`: the frequency of
/// the experiment's runs, used if none of them is in `line`; 0: not known.
std::vector<PaceAtFrequency> paces_of(const std::vector<CpiObservation>& line,
                                      const WorkExpression& work, double usual_hz) {
  std::vector<double> here_hz;
  for (const CpiObservation& o : line)
    if (o.is_of_experiment) here_hz.push_back(o.frequency_hz);
  const double base_hz = here_hz.empty() ? usual_hz : median(here_hz);
  std::vector<PaceAtFrequency> paces;
  if (!(base_hz > 0)) return paces;
  for (const CpiObservation& o : line)
    if (!o.is_of_experiment)
      paces.push_back(
          {.procs = static_cast<double>(o.procs),
           .work = work.value(o.params),
           .slowdown = base_hz / o.frequency_hz,
           .s_per_instruction = o.cpi / o.frequency_hz,
           .rel_sigma = std::hypot(o.cycles_sigma, o.instructions_sigma, o.frequency_sigma)});
  return paces;
}

/// Notes in each kernel of the model what `lines` say of it.
void note(const std::map<KernelId, CpiLine>& lines, double frequency_hz, Model* model) {
  for (KernelModel& kernel : model->kernels) {
    const auto found = lines.find(kernel.id);
    if (found == lines.end() || kernel.role == KernelRole::kRest) continue;
    kernel.refined = found->second;
    kernel.refined->frequency_hz = frequency_hz;
    if (kernel.refined->from == "frequencies" && frequency_hz > 0)
      kernel.law.split = split_by_frequencies(kernel, *kernel.refined, frequency_hz);
  }
}

/// Recalculates the values that the model gives at its points, after its laws have changed.
void refresh_points(Model* model) {
  const Predictor predictor(*model);
  for (ModelPoint& point : model->points)
    point.fitted_s =
        predictor.predict({.procs = point.procs, .params = point.params, .scaling = {}})
            .time.time_s;
}

bool goes_by_refined_costs(const KernelModel& kernel) {
  return kernel.law.split && kernel.law.split->from == "frequencies" &&
         kernel.law.split->posterior >= 0.5;
}

}  // namespace

RefinementSummary refine_cpi(const Experiment& experiment, const std::vector<FrequencyRun>& runs,
                             const MemoryCosts& costs, const FitOptions& fit, Model* model) {
  RefinementSummary summary;
  summary.runs = static_cast<int>(runs.size());
  for (const FrequencyRun& run : runs)
    if (const auto f = measured_frequency(run.profile)) {
      summary.lowest_hz = summary.lowest_hz == 0 ? f->hz : std::min(summary.lowest_hz, f->hz);
      summary.highest_hz = std::max(summary.highest_hz, f->hz);
    }
  std::map<KernelId, CpiLine> usable;
  PacesAtFrequencies at_frequencies;
  const WorkExpression work(model->work);
  const double frequency_hz = model_frequency(experiment, costs);
  bool any_cpi = false;
  for (std::size_t i = 0; i < model->kernels.size(); ++i) {
    const KernelModel& kernel = model->kernels[i];
    if (kernel.role == KernelRole::kRest) continue;
    std::vector<CpiObservation> all;
    for (const FrequencyRun& run : runs)
      if (const auto o = observe_cpi(run.profile, kernel.id, costs)) {
        all.push_back(*o);
        all.back().asked_hz = run.asked_hz;
        all.back().is_of_experiment = is_of(experiment, run.profile);
      }
    any_cpi = any_cpi || !all.empty();
    RefinedKernel refined;
    refined.index = i;
    refined.line = best_line(all);
    describe_before(experiment, kernel, costs, &refined);
    if (refined.line.is_usable()) usable[kernel.id] = refined.line;
    if (refined.line.is_usable() && refined.line.from == "frequencies")
      at_frequencies[kernel.id] = paces_of(widest_place(all), work, frequency_hz);
    summary.kernels.push_back(std::move(refined));
  }
  if (!any_cpi)
    throw InputError("",
                     "no kernel has a CPI: instructions were not counted in these runs, or neither "
                     "cycles nor the frequency are known",
                     "apmt doctor reports how to get counters; without any, apmt simulate counts "
                     "instructions and apmt calibrate measures the frequency (--machine)",
                     ExitCode::kNotEnoughData);
  if (!usable.empty()) {
    const LawCatalog catalog = read_law_catalog(fit.configs);
    if (model->backtest.possible) summary.backtest_error_before = model->backtest.error;
    // The back-test keeps all runs at other frequencies: they show the costs of core and memory.
    const auto refine = [&](Model* one, FitDepth depth) {
      note(usable, frequency_hz, one);
      fit_costs(costs, at_frequencies, one, depth);
    };
    refine(model, FitDepth::kWhole);
    model->backtest = run_backtest(experiment, *model, fit, catalog,
                                   [&](Model* smaller) { refine(smaller, FitDepth::kTimes); });
    if (model->backtest.possible) summary.backtest_error_after = model->backtest.error;
    refresh_points(model);
  }
  for (RefinedKernel& refined : summary.kernels)
    refined.has_new_law = goes_by_refined_costs(model->kernels[refined.index]);
  return summary;
}

}  // namespace apmt
