// apmt refine --target-error: makes runs and refits the model until its error is small enough, the
// budget is spent, or no run would help.

#include <algorithm>
#include <cstdio>
#include <optional>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "cli/experiment_path.h"
#include "cli/fit_runs.h"
#include "cli/logging.h"
#include "cli/refine.h"
#include "cli/refine_note.h"
#include "cli/refine_report.h"
#include "cli/refine_runs.h"
#include "fitter/fit/fit.h"
#include "refine/closed_loop.h"
#include "reports/next_runs.h"
#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// Connects the loop (refine/closed_loop.h) to an experiment: reads its runs, makes the loop's
/// steps and notes the step in progress.
class ExperimentLoop {
 public:
  explicit ExperimentLoop(const RefineOptions& options)
      : options_(options),
        dir_(options.dir),
        makes_runs_(!options.dry_run && !options.command.empty()) {
    loop_.fit = fit_options_of(dir_, options_);
    loop_.next = next_options(options_, fit(measured(), loop_.fit));
    loop_.target_error = *options_.target_error;
    loop_.budget_core_hours = options_.budget_core_hours;
    loop_.refine = [this](const Experiment& experiment, Model* model) {
      refine_by_frequency_runs(dir_, experiment, loop_.fit, options_.same_program, model);
    };
    note_ = read_note(dir_);
    if (note_ && options_.at == 0) loop_.next.at = note_->at;
    if (!note_ && makes_runs_) note_ = begin_note(dir_, loop_.next.at);
  }

  /// Finishes the step that an earlier apmt command began; returns false if the step fails again. A
  /// step that has no run yet is dropped (unless it is at other core frequencies), and the loop
  /// chooses the next step anew.
  bool finish_interrupted_step() {
    if (!makes_runs_ || !note_->step) return true;
    if (!note_->step->at_frequencies && runs_at(note_->step->procs) == 0) return true;
    logging::info("first, the interrupted step: {}", processes(note_->step->procs));
    return make_noted_step();
  }

  LoopResult run() {
    if ((makes_runs_ || options_.dry_run) && !has_frequency_runs(dir_))
      loop_.frequency_runs = frequency_runs_to_make(options_, measured(), dir_);
    LoopHands hands;
    hands.measured = [this] { return measured(); };
    hands.spent = [this] { return note_ ? spent_since(dir_, note_->before) : 0; };
    if (makes_runs_) hands.make = [this](const LoopStep& step) { return make(step); };
    return run_loop(loop_, hands);
  }

  int at() const { return loop_.next.at; }
  int exit_code() const { return code_; }  // of the last step, if it failed

 private:
  Experiment measured() const {
    return load_experiment(dir_, {.same_program = options_.same_program}, options_.unmerged());
  }
  int runs_at(int procs) const {
    for (const ExperimentPoint& p : measured().points)
      if (p.procs == procs) return p.elapsed_s.repetitions;
    return 0;
  }
  bool make(const LoopStep& step) {
    logging::info("next: {}, {}", processes(step.run.procs), core_hours_text(step.run.core_hours));
    // If the process count was profiled before, options_.reps runs are added to the existing ones.
    const bool is_again = !step.run.is_new && !step.at_frequencies;
    const int reps = options_.reps + (is_again ? runs_at(step.run.procs) : 0);
    note_->step = {step.run.procs, reps, step.at_frequencies};
    write_note(dir_, *note_);
    return make_noted_step();
  }
  bool make_noted_step() {
    RefineOptions here = options_;
    here.reps = note_->step->reps;
    here.procs = {note_->step->procs};
    code_ = note_->step->at_frequencies ? make_frequency_runs(here, measured(), dir_)
                                        : make_runs(here, dir_, note_->step->procs);
    if (code_ != 0) return false;
    note_->step.reset();
    write_note(dir_, *note_);
    return true;
  }

  const RefineOptions& options_;
  const fs::path dir_;
  const bool makes_runs_;
  LoopOptions loop_;
  std::optional<LoopNote> note_;  // present if runs are made
  int code_ = 0;
};

void tell_step(const LoopStep& step) {
  if (step.measured_s > 0)
    logging::info("{}: {} were predicted, {} measured ({})", processes(step.run.procs),
                  format_seconds(step.predicted_s), format_seconds(step.measured_s),
                  format_change(step.predicted_s / step.measured_s - 1));
}

/// Prints the command or the job script for the step that was planned but not made.
void tell_how(const LoopStep& step, const RefineOptions& options) {
  if (step.at_frequencies)
    logging::info("apmt refine --frequency --machine {} -- <the same command>",
                  options.machine.string());
  else if (!options.json)
    print_job_script(options, options.dir, step.run.procs);
}

}  // namespace

int refine_loop(const RefineOptions& options) {
  ExperimentLoop loop(options);
  if (!loop.finish_interrupted_step()) return loop.exit_code();
  const LoopResult result = loop.run();
  for (const LoopStep& step : result.steps) tell_step(step);
  if (options.json)
    std::fputs(format_json(to_json(result, loop.at())).c_str(), stdout);
  else
    print(make_loop_report(result, loop.at(), *options.target_error));
  if (result.end == LoopResult::End::kPlanned) {
    tell_how(result.steps.back(), options);
    return 0;
  }
  if (result.end == LoopResult::End::kStopped) return loop.exit_code();
  if (!options.dry_run) write_model(result.after.model, options.dir / "model.json");
  return result.end == LoopResult::End::kTarget ? 0 : static_cast<int>(ExitCode::kThresholdNotMet);
}

}  // namespace apmt
