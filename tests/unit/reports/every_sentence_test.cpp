// Makes every kind of sentence that occurs in reports, from fixed values, and compares the
// sentences with tests/golden/reports/sentences.txt, a file that people read, too.
#include "tests/unit/reports/every_sentence.h"

#include <gtest/gtest.h>

#include "fitter/prediction/outlook.h"
#include "fitter/prediction/validate.h"
#include "refine/refinement_summary.h"
#include "reports/difference.h"
#include "reports/next_runs.h"
#include "reports/outlook_text.h"
#include "reports/refinement.h"
#include "reports/render.h"
#include "reports/sections.h"
#include "reports/sentences.h"
#include "reports/threshold.h"
#include "reports/validation.h"
#include "reports/vocabulary.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

void headlines(EverySentence* all) {
  const Model model = example::model(64);
  Model part = example::model(2);
  all->about("headlines of predictions");
  all->add(headline(model, example::predict_all(model, {16})));
  all->add(headline(model, example::predict_all(model, {64})));
  all->add(headline(part, example::predict_all(part, {64})));
  auto predictions = example::predict_all(part, {64});
  predictions[0].parts.off_cpu.reset();
  predictions[0].parts.start.reset();
  predictions[0].parts.end.reset();
  predictions[0].missing.insert(predictions[0].missing.end(), {"off_cpu_s", "start_s", "end_s"});
  all->add(headline(part, predictions));
  predictions[0].worthless = true;
  all->add(headline(part, predictions));
}

void predicted(EverySentence* all) {
  const Model model = example::model(64);
  const Model part = example::model(2);
  all->about("reasons of predictions");
  all->add(reasons(model, example::predict_all(model, {8})));
  all->add(reasons(model, example::predict_all(model, {64, 256})));
  all->add(reasons(part, example::predict_all(part, {64})));
  Prediction missing = example::predict_at(model, 64);
  missing.missing = {"off_cpu_s"};
  all->add(missing_sentence(model, missing));
  Prediction slower = example::predict_at(model, 64);
  slower.speedup = 0.5;
  slower.efficiency = 0.02;
  all->add(reasons(model, {slower}));
  Backtest backtest;
  backtest.note = "three process counts are needed";
  all->add(backtest_sentence(model, backtest));
  Backtest missed = model.backtest;
  missed.covered = false;
  missed.error = 0.69;
  all->add(backtest_sentence(model, missed));
}

void outlooks(EverySentence* all) {
  all->about("how far it scales");
  Outlook o;
  o.why_not = "parts of the time are missing";
  all->add(outlook_sentences(o));
  o.why_not.clear();
  o.from_procs = 2;
  o.to_procs = 8000;
  o.half_efficiency = {48, 40, 61};
  o.verdicts = {{"compute+memory", {2, 2, 2}},
                {"communication", {49, 44, 55}},
                {"others", {700, 200, std::nullopt}}};
  o.from_time_s = 30;
  o.fastest = {{{177, 150, 200}, 2.234, 0.11}};
  o.deadline_s = 3;
  all->add(outlook_sentences(o));
  Outlook vague = o;
  vague.fastest->procs = {177, 120, 8000};
  all->add(outlook_sentences(vague).at(2));
  o.from_time_s = 2.3;
  o.cheapest = {{{38, 38, 38}, 2.99, 0.0316}};
  all->add(outlook_sentences(o));
  o.half_efficiency.reset();
  o.verdicts.resize(1);
  o.still_falling = true;
  all->add(outlook_sentences(o));
}

void advice(EverySentence* all) {
  all->about("what to do about it");
  for (const std::optional<double> latency :
       {std::optional(0.9), std::optional(0.4), std::optional(0.1), std::optional<double>()}) {
    Model model = example::model(64);
    Prediction target = example::predict_at(model, 256);
    target.parts.comm_coll = example::around(1.0, 0.1);
    target.p2p_latency = target.coll_latency = latency;
    if (!latency) {
      target.parts.end = example::around(1.0, 0.1);
      target.parts.off_cpu = example::around(1.0, 0.1);
      model.points.back().load_balance = 0.5;
      model.points.back().slowest = SlowestRank{3, 0.25, "sweep", 0.2};
      for (PredictedKernel& kernel : target.kernels)
        if (kernel.role == KernelRole::kNonScalable) kernel.time = example::around(1.0, 0.1);
    }
    all->add(guidance_section(model, target));
  }
  const Model model = example::model(64);
  const Prediction changed = example::predict_at(model, 256);
  for (const bool is_machine : {false, true}) {
    std::vector<HalvedCost> changes = example::halved(model, changed);
    std::erase_if(changes, [is_machine](const HalvedCost& change) {
      return is_machine && change.of != HalvedCost::Of::kMachine;
    });
    ReportSection section;
    add_halved_costs(model, changed, changes, &section);
    for (const std::string& sentence : section.sentences) all->add(sentence);
  }
  for (const auto& [bound, balance, chain] : {std::tuple(kBoundByNetwork, 0.98, 0.0),
                                              {kBoundByWaiting, 0.98, 0.0},
                                              {kBoundByWaiting, 0.98, 0.9},
                                              {kBoundByWaiting, 0.3, 0.0},
                                              {kBoundByMemory, 0.98, 0.0}}) {
    Prediction target = example::predict_at(model, 256);
    PredictedKernel& kernel = target.kernels.front();
    kernel.transfer = kernel.wait = kernel.mem = example::around(1.0, 0.1);
    kernel.transfer_part = "comm_coll";
    kernel.bound = bound;
    kernel.bound_probability = 0.9;
    kernel.bound_changes = ProcsEstimate{500, 400, 600};
    kernel.bound_becomes = kBoundByCore;
    Model balanced = model;
    balanced.points.back().load_balance = balance;
    balanced.points.back().wait_chain = chain;
    const OptionalSection section = guidance_section(balanced, target);
    for (const std::string& sentence : section->sentences)
      if (sentence.find("is bound by") != std::string::npos) all->add(sentence);
  }
}

/// The advice on each collective operation, and on waiting.
void communication_advice(EverySentence* all) {
  all->about("what to do about collectives and waiting");
  Model model = example::model(64);
  Prediction target = example::predict_at(model, 256);
  const auto add_those = [&](const char* beginning) {
    const OptionalSection section = guidance_section(model, target);
    for (const std::string& sentence : section->sentences)
      if (sentence.starts_with(beginning)) all->add(sentence);
  };
  target.parts.comm_coll = TimeEstimate{0.5, 0.01, 1.5};
  CountModel* coll = nullptr;
  for (CountModel& count : model.counts)
    if (count.op_class == "collective") coll = &count;
  for (const char* op : {"MPI_Barrier", "MPI_Scan", "MPI_Bcast", "MPI_Ialltoallv", "MPI_Allgather",
                         "MPI_Gatherv", "MPI_Scatter", "MPI_Neighbor_alltoall"})
    for (const double latency : {0.9, 0.1}) {
      coll->op = op;
      target.coll_latency = latency;
      add_those("Collectives");
    }
  target.parts.comm_wait = example::around(0.5, 0.1);
  model.points.back().slowest = SlowestRank{3, 0.25, "sweep", 0.2};
  ModelPoint& point = model.points.back();
  for (const double balance : {0.99, 0.9, 0.5}) {
    point.load_balance = balance;
    add_those("Waiting for late processes");
  }
  point.parts.comm_wait_s = Measured{4 * point.parts.comp_s->value};
  for (const char* caller : {"main", ""}) {
    point.longest_wait = LongestWait{"MPI_Allreduce", caller, 0.5, 0.6};
    add_those("Waiting for late processes");
  }
  point.wait_chain = 0.9;
  add_those("Waiting for late processes");
}

void thresholds(EverySentence* all) {
  const Model model = example::model(64);
  all->about("thresholds");
  std::vector<Prediction> asked = {example::predict_at(model, 64)};
  Prediction without = asked[0];
  without.missing = {"comm_p2p_s"};
  without.efficiency.reset();
  Prediction far = asked[0];
  far.worthless = true;
  asked.insert(asked.end(), {without, far});
  for (const Verdict& verdict :
       check_thresholds(asked, {.max_time_s = 1.0, .min_efficiency = 0.5, .sure = true}))
    all->add(verdict.sentence);
}

void fits(EverySentence* all) {
  Model model = example::model(2);
  all->about("fits");
  all->add(make_fit_report(model));
  auto& law = model.counts.front().calls;
  law.hypotheses.push_back(law.hypotheses.front());
  const OptionalSection section = communication_section(model, nullptr);
  ASSERT_TRUE(section);
  all->add(section->tables.front().rows.front().cells.at(2).text);
  for (const Grade grade : {Grade::kA, Grade::kB, Grade::kC, Grade::kD})
    all->add(grade_words(grade));
  for (const Scaling scaling :
       {Scaling::kSinglePoint, Scaling::kStrong, Scaling::kWeak, Scaling::kMixed})
    all->add(scaling_words(scaling));
}

void reports_of_models(EverySentence* all) {
  const Model model = example::model(64);
  all->about("whole reports");
  all->add(make_report(model, example::predict_all(model, {4, 64})));
}

void runs(EverySentence* all) {
  all->about("runs");
  RunProfile run = example::run(8);
  run.communication.coll_wait_s = 0.1;
  run.communication.bf_comm = 0.7;
  run.communication.pop = {0.9, 0.8, 0.72, 0.95, 0.84};
  all->add(make_profile_report(run));
  all->add(mpi_section(run));
  run.health.ranks_present = 6;
  run.health.ranks_aborted = 1;
  run.health.ranks_cut_off = 2;
  run.health.table_drops = 1;
  run.health.overhead_fraction = 0.08;
  run.sampling.dropped = 3000;
  run.health.notes = {"a note"};
  all->add(health_sentences(run));
  run.health.ranks_running = 2;
  all->add(health_sentences(run));
  run.config.oversubscribed = true;
  all->add(make_profile_report(run).reasons);
  all->add(mpi_section(run));
}

void validations(EverySentence* all) {
  const Model model = example::model(64);
  all->about("validations");
  Validation seen;
  seen.procs = 64;
  seen.params = {{"n", 4000}};
  seen.extrapolation_factor = 8;
  seen.whole = Check{example::around(0.9, 0.1), 0.95};
  seen.parts["comp_s"] = Check{example::around(0.3, 0.1), 0.2};
  seen.kernels.push_back({0, "sweep", Check{example::around(0.2, 0.1), 0.2}});
  seen.operations.push_back({"MPI_Isend", {448, 448, 448, 448}, {1e6, 2e6, 1e6, 3e6}});
  Validation equal = seen;
  equal.whole->measured_s = equal.whole->predicted.time_s;
  equal.was_fitted = true;
  Validation repeated = equal;
  equal.same_runs = true;
  Validation without = seen;
  without.whole.reset();
  all->add(make_validation_report(model, {seen, seen}));
  all->add(make_validation_report(model, {equal}));
  all->add(make_validation_report(model, {repeated}));
  all->add(make_validation_report(model, {without}).headline);
  without.missing = {"comm_coll_s", "comm_wait_s"};
  all->add(make_validation_report(model, {without}).headline);
  without.oversubscribed = true;
  all->add(make_validation_report(model, {without}).headline);
}

void differences(EverySentence* all) {
  all->about("differences");
  Model before = example::model(64);
  for (ModelPoint& point : before.points) point.rel_sigma = 0.01;
  for (KernelModel& kernel : before.kernels)
    for (FitPoint& point : kernel.points) {
      point.rel_sigma = 0.01;
      point.repetitions = 3;
    }
  all->add(make_difference_report(before, before, compare(before, before)));
  Model after = before;
  after.program = "halo3d";
  after.kernels[0].points.back().value *= 1.2;
  after.kernels[1].id.linkage_name = after.kernels[1].name = "residual2";
  after.points.back().elapsed_s += 0.2 * before.kernels[0].points.back().value;
  all->add(make_difference_report(before, after, compare(before, after)));
  for (Model* model : {&before, &after})
    for (ModelPoint& point : model->points) point.repetitions = 1;
  all->add(make_difference_report(before, after, compare(before, after)).headline);
}

void refinements(EverySentence* all) {
  const Model model = example::model(64);
  all->about("refinements");
  RefinementSummary summary;
  summary.runs = 6;
  summary.lowest_hz = 1.2e9;
  summary.highest_hz = 2.4e9;
  RefinedKernel good;
  good.line.verdict = line_verdict::kGood;
  good.line.from = "spread";
  good.line.cpi_before = 1.4;
  good.is_cpi_before_total = true;
  RefinedKernel bad;
  bad.index = 1;
  bad.line.verdict = line_verdict::kNotIdentified;
  bad.line.why = "only one frequency";
  summary.kernels = {bad};
  all->add(make_refinement_report(model, summary));
  summary.kernels = {good, bad};
  summary.backtest_error_before = -0.2;
  summary.backtest_error_after = 0.03;
  all->add(make_refinement_report(model, summary));
  summary.kernels[0].has_new_law = true;
  all->add(make_refinement_report(model, summary).reasons);
}

void next_runs(EverySentence* all) {
  const Model model = example::model(64);
  all->about("next runs");
  NextRunsSummary next{.at = 1024, .params = {{"n", 4096}}, .reps = 3, .runs = {}};
  all->add(make_next_runs_report(model, next));
  next.runs = {
      {.procs = 128, .time_s = 0.8, .core_hours = 0.0853, .width_before = 0.6, .width_after = 0.4},
      {.procs = 64,
       .is_new = false,
       .time_s = 1.1,
       .core_hours = 0.0587,
       .width_before = 0.6,
       .width_after = 0.61}};
  all->add(make_next_runs_report(model, next));
  using Kind = NextRun::Kind;
  for (const Kind kind : {Kind::kSmallData, Kind::kSlowCore, Kind::kLargerCaches}) {
    NextRun run{.kind = kind,
                .procs = 8,
                .is_new = false,
                .time_s = 2,
                .core_hours = 0.012,
                .width_before = 0.6,
                .width_after = 0.5};
    if (kind != Kind::kLargerCaches)
      run.verdict = {.kernel = kind == Kind::kSmallData ? 0U : 1U,
                     .bound = kind == Kind::kSmallData ? kBoundByMemory : kBoundByCore,
                     .probability = 0.62,
                     .expected_probability = 0.91};
    next.runs.insert(next.runs.begin(), run);
    all->add(make_next_runs_report(model, next));
  }
  const Report report = make_next_runs_report(model, next);
  for (const ReportSection& section : report.sections)
    for (const ReportTable& table : section.tables) all->add_cells(table);
  next.runs.insert(
      next.runs.begin(),
      {.procs = 2, .time_s = 5, .core_hours = 0.003, .width_before = 0.6, .width_after = 0.58});
  all->add(make_next_runs_report(model, next));
}

/// Splits the time of every kernel into computation and memory time, with two equally likely sets
/// of costs.
Model with_split(Model model, const std::string& from) {
  Hypothesis one;     // instructions
  Hypothesis access;  // seconds of memory accesses
  one.terms = {{.coefficient = 1}};
  access.terms = {{.coefficient = 1e-9}};
  for (KernelModel& kernel : model.kernels) {
    kernel.law.split.emplace();
    kernel.law.split->from = from;
    kernel.law.split->core = one;
    kernel.law.split->unhidden = kernel.law.split->transfers = access;
    kernel.law.split->ways = {{.core_s = 3e-10, .blocked = 0.1}, {.core_s = 1e-10, .blocked = 0.4}};
  }
  return model;
}

void memory(EverySentence* all) {
  Model model = example::model(64);
  all->about("computation and memory");
  for (const Grade grade : {Grade::kA, Grade::kB, Grade::kC, Grade::kD}) {
    model.grade = grade;
    all->add(memory_section(model));
  }
  model.grade = Grade::kB;
  for (const char* from : {"stalls", "counts", "frequencies"})
    all->add(memory_section(with_split(model, from)));
  model.memory_costs = "machine profile node.yaml";
  all->add(memory_section(with_split(model, "counts")));
  Model mixed = with_split(model, "counts");
  mixed.kernels.front().law.split->from = "stalls";
  all->add_cells(memory_section(mixed));
  Model by_costs = with_split(model, "counts");
  while (by_costs.kernels.size() < 6) by_costs.kernels.push_back(by_costs.kernels.front());
  for (const double posterior : {0.9, 0.1}) {
    for (KernelModel& kernel : by_costs.kernels) {
      kernel.law.split->prior = 1;
      kernel.law.split->posterior = posterior;
    }
    all->add(memory_section(by_costs));
  }
  const CostEstimate sure{1.1, 0.08}, vague{0.4, 0.9}, open{0.5, 40}, unknown{0.3, std::nullopt};
  for (const CostEstimate& cost : {sure, vague, open, unknown}) {
    model.shared_costs = {cost, cost};
    for (const MemoryForm form : kMemoryForms) {
      Model split = with_split(model, "counts");
      split.kernels.resize(1);
      const CostEstimate core{3e-10 * cost.value, cost.ln_sd};
      const CostEstimate blocking{cost.value / 2, cost.ln_sd};
      split.kernels.front().costs = {form, 0.9, core, blocking};
      const OptionalSection section = memory_section(split);
      all->add(section);
      all->add_cells(section);
    }
  }
  Prediction target = example::predict_at(model, 256);
  for (const char* bound :
       {kBoundByCompute, kBoundByCore, kBoundByMemory, kBoundByNetwork, kBoundByWaiting}) {
    target.kernels.front().bound_becomes = bound;
    target.kernels.front().bound_changes = ProcsEstimate{1000, 500, std::nullopt};
    all->add(verdict_changes(model, target));
  }
}

void changes(EverySentence* all) {
  all->about("times if one thing costs half");
  const Model model = example::model(64);
  const Prediction target = example::predict_at(model, 256);
  const std::vector<HalvedCost> halved = example::halved(model, target);
  ReportSection section{.id = "guidance", .title = "What to do about it"};
  add_halved_costs(model, target, halved, &section);
  all->add(section);
  for (const Knob knob : kKnobs) {
    ReportSection of_machine{.id = "guidance", .title = "What to do about it"};
    HalvedCost change = halved.front();
    change.of = HalvedCost::Of::kMachine;
    change.knob = knob;
    add_halved_costs(model, target, {change}, &of_machine);
    all->add(of_machine.sentences);
  }
}

void histories(EverySentence* all) {
  all->about("histories");
  History history = example::history();
  all->add(make_history_report(history));
  std::swap(history.series[0].changes[0].before, history.series[0].changes[0].after);
  all->add(make_history_report(history).headline);
  history.series[0].changes.clear();
  all->add(make_history_report(history).headline);
}

TEST(EverySentence, IsAsThePeopleWhoReadItWantIt) {
  EverySentence all;
  headlines(&all);
  predicted(&all);
  outlooks(&all);
  advice(&all);
  communication_advice(&all);
  thresholds(&all);
  fits(&all);
  reports_of_models(&all);
  runs(&all);
  validations(&all);
  differences(&all);
  refinements(&all);
  next_runs(&all);
  memory(&all);
  changes(&all);
  histories(&all);
  all.about("machines");
  all.add(make_machine_report(example::machine()));
  expect_golden("sentences.txt", all.text());
}

}  // namespace
}  // namespace apmt
