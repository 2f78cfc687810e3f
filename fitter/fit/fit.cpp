#include "fitter/fit/fit.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/input_error.h"
#include "base/listed.h"
#include "base/words.h"
#include "fitter/communication/comm_fit.h"
#include "fitter/communication/own_calls.h"
#include "fitter/communication/wait_families.h"
#include "fitter/computation/cost_fit.h"
#include "fitter/computation/kernel_counts.h"
#include "fitter/fit/baseline.h"
#include "fitter/fit/measured_model.h"
#include "fitter/fit/paper_forms.h"
#include "fitter/kernels/analysed_counts.h"
#include "fitter/kernels/kernel_set.h"
#include "fitter/mechanisms.h"
#include "fitter/model/model_parts.h"
#include "fitter/prediction/draw_estimates.h"
#include "fitter/prediction/model_draws.h"
#include "fitter/prediction/scenario_sizes.h"
#include "fitter/runs/costliest_call.h"
#include "fitter/runs/point_words.h"
#include "fitter/runs/spread.h"
#include "fitter/runs/work.h"
#include "fitter/times/time_fit.h"

namespace apmt {
namespace {

constexpr double kLargeClosure = 0.1;
constexpr double kLargeMiss = 0.2;  // a larger relative error at a fitted point gets a warning
constexpr const char* kMissed = "the laws do not fit what was measured: ";
constexpr double kOnlyPart = 0.9;  // a part with this share of elapsed time counts as the total

void require_points(const Experiment& e) {
  if (e.process_counts().size() >= 2) return;
  const int only = e.points.back().procs;
  throw InputError("",
                   "one process count (P = " + std::to_string(only) +
                       ") says nothing about scaling; at least two are needed, and three or "
                       "more are better",
                   "profile at more process counts, e.g. apmt run --procs " +
                       std::to_string(2 * only) + "," + std::to_string(4 * only) +
                       " -- <the same command>",
                   ExitCode::kNotEnoughData);
}

/// Whether it is known how much the times of these runs, all at one point, scatter: from several
/// runs, from samples, or because nothing in the run took real time (a virtual cluster that
/// simulates no computation is not sampled).
bool is_scatter_known(const Experiment& e, const ExperimentPoint& p) {
  const RunProfile& run = e.runs[p.runs.front()];
  const bool nothing_is_measured = run.config.is_virtual && run.sampling.source == "none";
  return nothing_is_measured || p.runs.size() > 1 ||
         (p.parts.comp_s && p.parts.comp_s->rel_sampling > 0);
}

/// Whether the program's times may be free of noise, as made-up ones are. If any time scatters, all
/// are measured. (On a virtual cluster, a message always takes the same time, which proves nothing
/// about its law.)
bool may_be_made_up(const Experiment& e) {
  return std::ranges::all_of(e.points, [&](const ExperimentPoint& p) {
    return is_scatter_known(e, p) &&
           is_free_of_noise(p.elapsed_s.rel_sigma,
                            p.parts.comp_s ? p.parts.comp_s->rel_sampling : 0);
  });
}

class Fitter {
 public:
  Fitter(const Experiment& e, const FitOptions& options, const LawCatalog& catalog, FitDepth depth)
      : e_(e),
        options_(options),
        catalog_(catalog),
        depth_(depth),
        may_be_exact_(may_be_made_up(e)) {}

  Model run() {
    require_points(e_);
    describe();
    choose_the_work();
    fit_kernels();
    model_.counts = fit_counts(e_, work_, catalog_);
    model_.comm = fit_comm(e_, work_, linear_exponent_, model_.counts, options_, catalog_,
                           may_be_exact_, &model_.warnings);
    mark_what_is_unseen();
    if (is_whole()) fill_own_calls(e_, work_, model_.comm, &model_.kernels);
    fit_part(&MeasuredParts::off_cpu_s, "off-cpu", TimeLaw::SizeRule::kPerProcess, &model_.off_cpu);
    fit_part(&MeasuredParts::start_s, "start", TimeLaw::SizeRule::kNone, &model_.start);
    fit_part(&MeasuredParts::end_s, "end", TimeLaw::SizeRule::kNone, &model_.end);
    require_a_part();
    if (options_.method == kPaperMethod) use_paper_forms(options_.memory, &model_);
    fill_points();
    fit_costs(options_.memory, {}, &model_, depth_);
    model_.baselines = fit_baselines(known_totals());
    summarise();
    return std::move(model_);
  }

 private:
  bool is_whole() const { return depth_ == FitDepth::kWhole; }

  void describe() {
    model_ = described_model(e_, options_.threshold);
    std::set<std::string> names;
    for (const ExperimentPoint& p : e_.points) {
      model_.max_nodes = std::max(model_.max_nodes, p.nodes);
      for (const auto& [name, value] : p.params) names.insert(name);
    }
    model_.param_names.assign(names.begin(), names.end());
    std::vector<double> frequencies;
    for (const RunProfile& run : e_.runs) {
      if (run.config.frequency_hz) frequencies.push_back(*run.config.frequency_hz);
      for (const HostInfo& host : run.hosts)
        model_.cores_per_node = std::max(model_.cores_per_node, host.usable_cpus);
    }
    if (!frequencies.empty()) model_.frequency_hz = measured(frequencies).value;
  }

  void choose_the_work() {
    WorkChoice choice = choose_work(e_, options_.work);
    model_.work = choice.expression.text();
    work_ = std::move(choice.at_points);
    for (std::string& w : choice.warnings) model_.warnings.push_back(std::move(w));
    // The linear size of a domain of d dimensions is D^(1/d).
    if (!choice.expression.names().empty())
      linear_exponent_ = 1 / std::max(choice.expression.degree(e_.points.back().params), 1.0);
  }

  void fit_kernels() {
    const KernelSet set = select_kernels(e_, work_, options_.threshold);
    model_.summary.functions = set.functions;
    coverage_ = set.coverage;
    too_few_samples_ = set.too_few_samples;
    if (too_few_samples_ > 0)
      model_.warnings.push_back(
          counted(too_few_samples_, "function") + (too_few_samples_ == 1 ? " takes" : " take") +
          " more than " + percent(options_.threshold) +
          " of the compute time, but with too few samples for a law: the time is in the sum of all "
          "small functions. Make longer runs, or more of them");
    if (set.kernels.empty()) fit_one_block();
    const FunctionIndex functions(e_);
    std::vector<std::string> not_shrinking;
    for (KernelModel k : set.kernels) {
      const std::set<KernelId> ids = functions_of(k, set);
      k.metrics = fit_metrics(e_, functions, ids, work_, catalog_, depth_);
      if (!continue_ahead(larger_caches_of(e_, functions, ids), k.points, options_.memory,
                          &k.metrics))
        not_shrinking.push_back(k.name);
      k.law = law_of_kernel(k);
      model_.summary.critical_kernels += k.role == KernelRole::kCritical;
      model_.summary.non_scalable_kernels += k.role == KernelRole::kNonScalable;
      model_.kernels.push_back(std::move(k));
    }
    std::vector<TimeLaw*> laws;
    for (KernelModel& k : model_.kernels) laws.push_back(&k.law);
    pool_plainness(laws);
    if (!not_shrinking.empty())
      model_.warnings.push_back(
          "simulations with larger caches do not say how often " + listed(not_shrinking) +
          " will access memory on more processes: they are wrong about the largest profiled count. "
          "Not all data shrink like the work of a process");
  }

  /// The kernel's function; for the rest, all functions without a kernel of their own.
  std::set<KernelId> functions_of(const KernelModel& kernel, const KernelSet& set) const {
    if (kernel.role != KernelRole::kRest) return {kernel.id};
    std::set<KernelId> ids;
    for (const RunProfile& run : e_.runs)
      for (const KernelProfile& k : run.kernels) ids.insert(k.id);
    for (const KernelModel& other : set.kernels)
      if (other.role != KernelRole::kRest) ids.erase(other.id);
    return ids;
  }

  /// Fits all computation as one kernel, for grade D or if nothing was sampled.
  void fit_one_block() {
    KernelModel k;
    k.name = "(all computation)";
    k.role = KernelRole::kRest;
    k.functions = 0;
    k.max_share = 1;
    k.points = measured_points(e_, work_, &MeasuredParts::comp_s);
    if (!differ(k.points, &FitPoint::procs)) {
      model_.warnings.push_back(
          "compute time is not included in the total: without samples it is the elapsed time "
          "outside MPI, which oversubscribed runs do not give");
      return;
    }
    k.law = law_of_kernel(k);
    model_.kernels.push_back(std::move(k));
  }

  TimeLaw law_of_kernel(const KernelModel& k) const {
    return fit_time(
        k.points, catalog_,
        {.prior = is_the_whole(k.points) ? "total" : "leaf",
         .size_rule = TimeLaw::SizeRule::kPerProcess,
         .families = k.role == KernelRole::kRest ? std::vector<CountFamily>{}
                                                 : families_of(k.metrics, options_.memory),
         .may_be_exact = may_be_exact_});
  }

  /// Whether this time is nearly all of the run at every point. It then gets the priors of a total.
  bool is_the_whole(const std::vector<FitPoint>& points) const {
    if (points.size() != e_.points.size()) return false;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (e_.points[i].oversubscribed || points[i].value < kOnlyPart * e_.points[i].elapsed_s.value)
        return false;
    return true;
  }

  void fit_part(std::optional<Measured> MeasuredParts::*which, const std::string& prior,
                TimeLaw::SizeRule rule, PartModel* part) {
    part->points = measured_points(e_, work_, which);
    if (!differ(part->points, &FitPoint::procs)) {
      model_.warnings.push_back(
          std::string(prior == "start" ? "the time before MPI_Init returns"
                      : prior == "end" ? "the time after MPI_Finalize begins"
                                       : "the time off the CPU") +
          " is not included in the total: runs without oversubscription exist at fewer than two "
          "process counts");
      return;
    }
    std::vector<FitPoint> points = part->points;
    // From one process to two, the time of starting and ending jumps, because MPI begins to connect
    // processes. Later growth does not continue this jump, and on a busy machine the jump may have
    // any size. So the time of one process gets a relative error of 1, and thus little weight.
    for (FitPoint& p : points)
      if (p.procs == 1 && part != &model_.off_cpu) p.rel_sampling = std::max(p.rel_sampling, 1.0);
    std::vector<CountFamily> families;
    if (part == &model_.end) {
      // A single process waits for nobody, so its time is no point of a law of waiting.
      std::vector<FitPoint> parallel = points;
      std::erase_if(parallel, [](const FitPoint& p) { return p.procs <= 1; });
      families = end_families(e_, parallel);
      if (!families.empty()) points = std::move(parallel);
    }
    part->law = fit_time(std::move(points), catalog_,
                         {.prior = prior,
                          .size_rule = rule,
                          .families = std::move(families),
                          .may_be_exact = may_be_exact_});
  }

  void require_a_part() const {
    for (const Part part : kParts)
      if (has_part(model_, part)) return;
    throw InputError("",
                     "no time of these runs can be used: they are oversubscribed and were not "
                     "sampled",
                     "run with at most as many ranks as CPUs, or with sampling on",
                     ExitCode::kNotEnoughData);
  }

  /// Notes what the runs do not show about messages and collectives. On simulated clusters, the
  /// algorithms are always the same.
  void mark_what_is_unseen() {
    for (CommModel& c : model_.comm)
      if (c.law && (c.part == "p2p" || c.part == "coll"))
        c.law->unseen = {.algorithms = c.part == "coll" && !model_.is_virtual,
                         .cores_of_only_node = model_.max_nodes == 1 ? model_.cores_per_node : 0};
  }

  /// What was measured at the profiled points.
  void fill_points() {
    std::vector<std::optional<LongestWait>> waits(e_.points.size());
    if (is_whole()) waits = longest_waits(e_);
    for (std::size_t i = 0; i < e_.points.size(); ++i) {
      const ExperimentPoint& p = e_.points[i];
      ModelPoint point = measured_point(p, work_[i]);
      point.simulated_runs = p.simulated_runs;
      point.coverage = coverage_.empty() ? 0 : coverage_[i];
      point.busy_cores = p.max_ranks_per_node * std::max(1, p.threads_per_rank);
      point.slowest = slowest_rank(e_, p);
      point.longest_wait = waits[i];
      if (is_whole()) point.costliest_other_call = costliest_other_call(e_, p);
      point.wait_chain = chain_share_at(e_, p);
      for (const Part part : kParts) {
        if (!has_part(model_, part)) continue;
        const std::optional<Measured>& value = p.parts.*measured_part(part);
        point.complete = point.complete && value.has_value();
        if (value) point.known_s += value->value;
      }
      model_.points.push_back(std::move(point));
    }
  }

  std::vector<FitPoint> known_totals() const {
    std::vector<FitPoint> totals;
    for (const ModelPoint& p : model_.points)
      if (p.complete && p.known_s > 0)
        totals.push_back({double(p.procs), p.work, p.known_s, p.rel_sigma, 0, p.repetitions});
    return totals;
  }

  void summarise() {
    FitSummary& s = model_.summary;
    s.min_coverage = coverage_.empty() ? 0 : *std::min_element(coverage_.begin(), coverage_.end());
    double max_closure = 0;
    for (const ModelPoint& p : model_.points)
      if (p.elapsed_s > 0)
        max_closure = std::max(max_closure, std::abs(p.parts.closure_s) / p.elapsed_s);
    for (const CountModel& c : model_.counts) {
      s.count_laws += 2;
      s.exact_count_laws += c.calls.is_exact() + c.bytes.is_exact();
    }
    const std::size_t counts = e_.process_counts().size();
    if (counts == 2)
      model_.warnings.push_back(
          "only two process counts: the shape of the curves is assumed from other programs; "
          "profile a third, e.g. P = " +
          std::to_string(2 * e_.points.back().procs));
    const std::string coverage = coverage_warning(s);
    if (!coverage.empty() && too_few_samples_ == 0) model_.warnings.push_back(coverage);
    if (is_whole()) compare_with_points(&model_);
    if (max_closure > kLargeClosure)
      model_.warnings.push_back("up to " + percent(max_closure) +
                                " of the elapsed time is in none of the measured parts");
  }

  const Experiment& e_;
  const FitOptions& options_;
  const LawCatalog& catalog_;
  Model model_;
  std::vector<double> work_;
  int too_few_samples_ = 0;  // functions that are no kernels for this reason
  std::vector<double> coverage_;
  double linear_exponent_ = 0;
  FitDepth depth_;
  bool may_be_exact_;
};

/// The same experiment without the runs at one process count; the costs of messages come from the
/// remaining runs only.
Experiment without(const Experiment& e, int procs) {
  std::vector<RunProfile> runs;
  for (const RunProfile& run : e.runs)
    if (run.config.procs != procs) runs.push_back(run);
  Experiment smaller = make_experiment(std::move(runs), {.same_program = true});
  smaller.scaling = e.scaling;
  smaller.grade = e.grade;
  return smaller;
}

Experiment with_counts_of_analyses(const Experiment& e, const FitOptions& options) {
  return with_analysed_counts(e, choose_work(e, options.work).at_points, options.memory.caches);
}

}  // namespace

void check_options(const FitOptions& options) {
  if (!(options.threshold > 0 && options.threshold <= 1))
    throw InputError("",
                     "the threshold must lie above 0 and not above 1 (a share of compute time)");
  if (options.method != kOwnMethod && options.method != kPaperMethod)
    throw InputError("", "the method is 'apmt' or 'paper', not '" + options.method + "'");
}

Model fit_points(const Experiment& experiment, const FitOptions& options, const LawCatalog& catalog,
                 FitDepth depth) {
  return Fitter(experiment, options, catalog, depth).run();
}

void compare_with_points(Model* model) {
  std::erase_if(model->warnings, [](const auto& warning) { return warning.starts_with(kMissed); });
  const ModelDraws laws(*model);
  std::vector<std::string> misses;
  for (ModelPoint& p : model->points) {
    p.fitted_s = laws.at(p.procs, p.work).estimate(Scenario().confidence).time_s;
    if (!p.complete || p.known_s <= 0) continue;
    const double ratio = p.fitted_s / p.known_s;
    if (std::abs(ratio - 1) <= kLargeMiss) continue;
    misses.push_back(percent(std::abs(ratio - 1)) + (ratio > 1 ? " more" : " less") +
                     " than was measured at " + at_point(model->points, p.procs, p.params));
  }
  if (misses.empty()) return;
  model->warnings.push_back(kMissed + ("they give " + listed(misses)) +
                            "; none of them describes what the program does there");
}

Model fit_without_largest(const Experiment& experiment, const Model& model, FitOptions options,
                          const LawCatalog& catalog, FitDepth depth) {
  options.work = model.work;
  if (!experiment.analyses.empty())
    return fit_without_largest(with_counts_of_analyses(experiment, options), model, options,
                               catalog, depth);
  return fit_points(without(experiment, model.max_procs()), options, catalog, depth);
}

Backtest run_backtest(const Experiment& e, const Model& model, const FitOptions& options,
                      const LawCatalog& catalog, const std::function<void(Model*)>& change) {
  Backtest test;
  test.procs = model.max_procs();
  test.from_procs = e.process_counts();
  std::erase(test.from_procs, test.procs);
  if (test.from_procs.size() < 2) {
    test.note = "three process counts are needed; without the largest, only " +
                std::to_string(test.from_procs.size()) + " is left";
    return test;
  }
  // The paper's method also reads the counters that kTimes leaves out.
  const FitDepth depth = options.method == kPaperMethod ? FitDepth::kWhole : FitDepth::kTimes;
  Model before = fit_without_largest(e, model, options, catalog, depth);
  if (change) change(&before);
  const ModelPoint& truth = model.points.back();
  const ModelDraws laws(before);
  const double work =
      ScenarioSizes(before, {.procs = truth.procs, .params = truth.params}).work_at(truth.procs);
  // Compares only parts that were both predicted and measured.
  std::vector<const Draws*> sums;
  const DrawnTimes drawn = laws.at(truth.procs, work);
  for (const DrawnTimes::OfPart& part : drawn.parts) {
    const std::optional<Measured>& value = truth.parts.*measured_part(part.part);
    if (!value) continue;
    test.measured_s += value->value;
    sums.push_back(&part.sum);
  }
  const TimeEstimate said = estimate_of_whole(sums, Scenario().confidence);
  test.time_s = said.time_s;
  test.low_s = said.low_s;
  test.high_s = said.high_s;
  if (test.measured_s <= 0) {
    test.note = "no part was both predicted and measured at the largest process count";
    return test;
  }
  test.possible = true;
  test.error = test.time_s / test.measured_s - 1;
  test.covered = test.low_s <= test.measured_s && test.measured_s <= test.high_s;
  if (test.from_procs.size() == 2)
    test.note =
        "fitted to two process counts only, which determine at most two coefficients of each law";
  if (truth.complete)
    for (const Baseline& b : before.baselines)
      test.baseline_errors[b.name] = b.time_s(truth.procs, truth.work) / truth.known_s - 1;
  return test;
}

Model fit(const Experiment& experiment, const FitOptions& options) {
  check_options(options);
  if (!experiment.analyses.empty())
    return fit(with_counts_of_analyses(experiment, options), options);
  const LawCatalog catalog = read_law_catalog(options.configs);
  Model model = fit_points(experiment, options, catalog);
  model.backtest = run_backtest(experiment, model, options, catalog);
  return model;
}

}  // namespace apmt
