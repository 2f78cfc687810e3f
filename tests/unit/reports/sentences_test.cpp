#include "reports/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reports/numbers.h"
#include "reports/render.h"
#include "reports/sections.h"
#include "reports/validation.h"
#include "reports/vocabulary.h"
#include "reports/words.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = text.find('\n', start);
    widest = std::max(widest, display_width(std::string_view(text).substr(start, end - start)));
    start = end + 1;
  }
  return widest;
}

TEST(Sentences, WhatIsMissingIsSaidWithItsReason) {
  const Model model = example::model(2);
  const auto predictions = example::predict_all(model, {64});
  EXPECT_THAT(headline(model, predictions), HasSubstr("At 64 processes expect 470 ms"));
  EXPECT_THAT(headline(model, predictions), HasSubstr("without communication"));
  EXPECT_EQ(
      missing_sentence(model, predictions[0]),
      "Communication is not included: every profiled run beyond 2 processes had more ranks than "
      "cores.");
}

TEST(Sentences, AnUnknownVerdictIsNotGiven) {
  const Model model = example::model(2);
  const auto predictions = example::predict_all(model, {64});
  EXPECT_THAT(headline(model, predictions), HasSubstr("of the known parts"));
  EXPECT_THAT(headline(model, predictions), Not(HasSubstr("unknown")));
}

TEST(Sentences, AWarningThatDiffersInNumbersIsGivenOnce) {
  Model model = example::model(64);
  model.warnings.clear();
  auto predictions = example::predict_all(model, {64, 128, 256});
  predictions[0].warnings = {"1.03 % is not counted", "f2 is late"};
  predictions[1].warnings = {"1.32 % is not counted", "f2 is late"};
  predictions[2].warnings = {"1.1 % is not counted (16 times)", "1.13 % is not counted"};
  EXPECT_THAT(
      all_warnings(model, predictions),
      ElementsAre("1.03 % is not counted (at 64 processes; with other numbers also at 128 and 256)",
                  "f2 is late", "1.1 % is not counted (16 times)"));
}

TEST(Sentences, ThePredictionAsJsonHasTheWarningsOfTheModel) {
  Model model = example::model(64);
  model.warnings = {"the laws do not fit"};
  auto predictions = example::predict_all(model, {64});
  predictions[0].warnings = {"f2 is late"};
  EXPECT_EQ(to_json(model, predictions[0])["warnings"],
            Json::array({"the laws do not fit", "f2 is late"}));
}

TEST(Sentences, AnEqualTimeIsNeitherSlowerNorFaster) {
  const Model model = example::model(64);
  auto predictions = example::predict_all(model, {64});
  const auto said = [&](double speedup) {
    predictions[0].speedup = speedup;
    return render_text(make_report(model, predictions));
  };
  EXPECT_THAT(said(0.98), HasSubstr("That is about as fast as on 2 processes"));
  EXPECT_THAT(said(0.9), HasSubstr("That is 1.1 times slower than on 2 processes"));
  EXPECT_THAT(said(1.2), HasSubstr("That is 1.2 times as fast as on 2 processes"));
}

TEST(Sentences, ComputationAloneIsCalledThat) {
  const Model model = example::model(2);
  auto predictions = example::predict_all(model, {64});
  predictions[0].parts.off_cpu.reset();
  predictions[0].parts.start.reset();
  predictions[0].parts.end.reset();
  predictions[0].missing.insert(predictions[0].missing.end(), {"off_cpu_s", "start_s", "end_s"});
  predictions[0].time = *predictions[0].parts.comp;
  EXPECT_EQ(headline(model, predictions),
            "At 64 processes expect 270 ms (220 to 340, 80 %) of computation, most of it in sweep "
            "(210 ms); communication and other parts are not included.");
  EXPECT_EQ(
      missing_sentence(model, predictions[0]),
      "Communication, time off the CPU and the start and end of the program are not included: "
      "every profiled run beyond 2 processes had more ranks than cores.");
}

TEST(Sentences, TheOperationThatTakesOverIsNamed) {
  const Model model = example::model(64);
  EXPECT_THAT(headline(model, example::predict_all(model, {256})), HasSubstr("MPI_Isend"));
  EXPECT_THAT(headline(model, example::predict_all(model, {16})),
              HasSubstr("from about 48 processes communication dominates"));
  EXPECT_EQ(part_with_operations(model, "coll"), "MPI_Allreduce");
}

TEST(Sentences, GoingTooFarIsSaidOnlyWhenEverythingIsKnown) {
  const Model whole = example::model(64);
  EXPECT_THAT(reasons(whole, example::predict_all(whole, {64, 256})),
              ::testing::Contains(HasSubstr("64 is the fastest")));
  const Model part = example::model(2);
  EXPECT_THAT(reasons(part, example::predict_all(part, {64, 256})),
              Not(::testing::Contains(HasSubstr("fastest"))));
}

TEST(Sentences, BeyondAThousandTimesThereIsNoFigure) {
  const Model model = example::model(64);
  auto predictions = example::predict_all(model, {16384});
  predictions[0].worthless = true;
  EXPECT_EQ(headline(model, predictions),
            "No useful prediction is possible for 16384 processes: that is 2048 times the largest "
            "profiled count (8).");
}

TEST(Sentences, SimulatedCountsAreSaidWithTheirPoints) {
  Model model = example::model(64);
  EXPECT_THAT(make_fit_report(model).reasons, Not(::testing::Contains(HasSubstr("simulated"))));
  for (ModelPoint& point : model.points) point.simulated_runs = 1;
  EXPECT_THAT(make_fit_report(model).reasons,
              ::testing::Contains("Counters were simulated at P = 2, P = 4 and P = 8, in some of "
                                  "the repetitions; counts are the same in all of them, so these "
                                  "stand for all."));
  model.points[2].simulated_runs = 0;
  EXPECT_THAT(make_fit_report(model).reasons,
              ::testing::Contains(HasSubstr("There are no simulated counters at P = 8: ")));
}

/// A sampling error of 10 % means a hundred samples in the run, so one sample stands for a
/// hundredth of the time. A kernel without samples is shown as "less than one sample".
TEST(Cells, WhereNoSampleFellSayWhatOneIsWorth) {
  Model model = example::model(64);
  model.points[0].parts.comp_s->value = 2;
  model.points[0].parts.comp_s->rel_sampling = 0.1;
  KernelModel& kernel = model.kernels[2];
  for (FitPoint& p : kernel.points) p.value = 0;
  EXPECT_EQ(kernel_cell(model, kernel, 2).text, "< 20 ms");
  EXPECT_EQ(kernel_cell(model, kernel, 2).value, 0.0);
  EXPECT_EQ(kernel_cell(model, model.kernels[0], 2).text, "");
  model.points[0].parts.comp_s->rel_sampling = 0;
  EXPECT_EQ(kernel_cell(model, kernel, 2).text, "") << "without sampling, a zero is exact";
}

TEST(Cells, APredictionWithoutSamplesIsABound) {
  const Model model = example::model(64);
  Prediction target = example::predict_at(model, 64);
  PredictedKernel& kernel = target.kernels.front();
  kernel.time = {0, 0, 5e-4};
  kernel.is_unsampled = true;
  EXPECT_EQ(kernel_time_cell(kernel).text, "< 500 us");
  EXPECT_FALSE(kernel_interval_cell(kernel).value);
  const ReportRow row = kernels_section(model, {target}, {target}, nullptr)->tables.front().rows[0];
  EXPECT_EQ(row.cells[1].text, "< 500 us");
  EXPECT_THAT(row.cells[3].text, testing::StartsWith("< 0.0"));
  EXPECT_EQ(row.cells[5].text, "") << "no law";

  Validation v;
  v.procs = 64;
  v.kernels.push_back({.index = kernel.index,
                       .name = kernel.name,
                       .check = {.predicted = kernel.time, .measured_s = 1e-4, .is_bound = true}});
  v.whole = Check{target.time, target.time.time_s};
  const Report report = make_validation_report(model, {v});
  const std::vector<ReportCell>& cells = report.sections.back().tables.front().rows.front().cells;
  EXPECT_EQ(cells[2].text, "< 500 us");
  EXPECT_FALSE(cells[4].value) << "no error";
  EXPECT_EQ(cells[5].text, "yes");
}

/// The text in the column "extrapolated" of the first row.
std::string extrapolated_cell(const Model& model, const std::vector<Prediction>& predictions) {
  const ReportTable table = prediction_section(model, predictions, {}).value().tables.front();
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].id == "extrapolation") {
      const ReportCell& cell = table.rows.front().cells[i];
      return cell.text.empty() ? format_factor(cell.value.value()) : cell.text;
    }
  return "no such column";
}

TEST(Cells, AProblemBeyondTheProfiledIsMarkedAsExtrapolated) {
  const Model model = example::model(64);
  for (const auto& [procs, within, beyond] :
       {std::tuple(8, "no", "work 4x"), {64, "8x", "8x, work 4x"}}) {
    auto predictions = example::predict_all(model, {procs});
    EXPECT_EQ(extrapolated_cell(model, predictions), within);
    predictions[0].size_factor = 4;
    predictions[0].is_beyond_sizes = true;
    EXPECT_EQ(extrapolated_cell(model, predictions), beyond);
  }
}

TEST(Sentences, WorkBeyondTheProfiledIsSaid) {
  const Model model = example::model(64);
  auto predictions = example::predict_all(model, {8});
  predictions[0].size_factor = 4;
  predictions[0].is_beyond_sizes = true;
  EXPECT_THAT(reasons(model, predictions),
              ::testing::Contains("The work asked for is 4 times the largest profiled."));
}

TEST(Sentences, WithoutABacktestTheReasonIsGiven) {
  Backtest backtest;
  EXPECT_EQ(backtest_sentence(Model{}, backtest), "");
  backtest.note = "two process counts leave nothing to hold out.";
  EXPECT_EQ(backtest_sentence(Model{}, backtest),
            "No back-test: two process counts leave nothing to hold out.");
}

TEST(Sentences, AReferenceModelThatIsMuchCloserIsNamedWhereTheModelMissed) {
  Backtest backtest = example::model().backtest;
  backtest.error = 0.2;
  backtest.baseline_errors = {{"analytical", -0.15}, {"power law", -0.09}};
  EXPECT_THAT(backtest_sentence(Model{}, backtest), Not(HasSubstr("reference model")));
  backtest.covered = false;
  EXPECT_THAT(backtest_sentence(Model{}, backtest),
              HasSubstr("outside the interval. A simple reference model (power law) is closer "
                        "there: -9.0 %."));
  backtest.baseline_errors["power law"] = 0.11;
  EXPECT_THAT(backtest_sentence(Model{}, backtest), Not(HasSubstr("reference model")));
}

TEST(Sentences, AReportNeedsAPrediction) {
  EXPECT_THROW(make_report(example::model(), {}), std::invalid_argument);
}

TEST(Sentences, WhatSeveralRunsSayIsToldOfTheFirst) {
  const Model model = example::model();
  Experiment experiment;
  for (const int procs : {2, 4, 8}) {
    experiment.runs.push_back(example::run(procs));
    experiment.runs.back().health.notes = {std::to_string(100 * procs) + " samples were late"};
  }
  experiment.runs[1].health.ranks_aborted = 1;
  const OptionalSection section = points_section(model, &experiment);
  EXPECT_THAT(section.value().sentences,
              ElementsAre("Run with 2 processes, repetition 1: 200 samples were late. The same, "
                          "with other numbers, applies to 2 other runs.",
                          "Run with 4 processes, repetition 1: one rank called MPI_Abort."));
}

TEST(Sentences, PatternsOfPeers) {
  RunProfile run = example::run(4);
  EXPECT_THAT(peers_sentence(run), HasSubstr("line: each rank exchanges"));
  run.peers = {{0, 1, 1, 8}, {1, 2, 1, 8}, {2, 3, 1, 8}, {3, 0, 1, 8}};
  EXPECT_THAT(peers_sentence(run), HasSubstr("ring: each rank sends to the next"));
  run.peers = {{0, 1, 1, 8}, {0, 2, 1, 8}, {0, 3, 1, 8}};
  EXPECT_THAT(peers_sentence(run),
              HasSubstr("master and workers: every message is to or from rank 0"));
  run.peers = {{0, 1, 1, 8}, {2, 0, 5, 8}};
  EXPECT_THAT(peers_sentence(run), HasSubstr("between 2 pairs of ranks, at most one peer each"));
  run.peers.clear();
  EXPECT_EQ(peers_sentence(run), "");
  RunProfile grid = example::run(6);  // 3 x 2
  grid.peers.clear();
  for (const auto& [a, b] : {std::pair(0, 1), {2, 3}, {4, 5}, {0, 2}, {2, 4}, {1, 3}, {3, 5}}) {
    grid.peers.push_back({a, b, 1, 8});
    grid.peers.push_back({b, a, 1, 8});
  }
  EXPECT_THAT(peers_sentence(grid), HasSubstr("grid of 3 x 2"));
}

TEST(Text, NoLineIsWiderThanAsked) {
  Model model = example::model(64);
  const std::string name =
      "std::enable_if<(Kokkos::is_view<T>::value), void>::type solver::" + std::string(300, 'x') +
      "<double, 3>(\xC3\xA4)";
  model.kernels[0].name = name;
  model.program = std::string(200, 'p');
  auto predictions = example::predict_all(model, {16, 64, 256});
  for (Prediction& prediction : predictions) prediction.warnings = {std::string(150, 'w')};
  Experiment experiment;
  experiment.runs = {example::run(8)};
  experiment.runs[0].mpi[0].caller = name;
  for (const int width : {60, 72, 100, 200}) {
    const auto limit = static_cast<std::size_t>(width);
    EXPECT_LE(widest_line(render_text(make_report(model, predictions, &experiment), width)), limit);
    EXPECT_LE(widest_line(render_prediction_text(model, predictions, width)), limit);
    EXPECT_LE(widest_line(render_fit_text(model, width)), limit);
    EXPECT_LE(widest_line(render_profile_text(experiment.runs[0], width)), limit);
  }
}

TEST(Text, ColourOnlyWhenAskedFor) {
  const Model model = example::model();
  EXPECT_EQ(render_fit_text(model).find('\x1b'), std::string::npos);
  EXPECT_NE(render_fit_text(model, 100, true).find('\x1b'), std::string::npos);
}

TEST(Text, SectionsWithoutDataAreAbsent) {
  Model model;
  model.program = "a";
  Prediction prediction;
  prediction.procs = 4;
  prediction.time = {1, 0.5, 2};
  const std::string text = render_text(make_report(model, {prediction}));
  EXPECT_THAT(text, HasSubstr("At 4 processes expect 1.0 s (0.50 to 2.0, 80 %)."));
  for (const char* title :
       {"Kernels", "Where the time", "Communication", "Back-test", "measured"}) {
    EXPECT_THAT(text, Not(HasSubstr(title)));
  }
  EXPECT_EQ(render_profile_text(RunProfile{}).find("MPI operations"), std::string::npos);
}

TEST(Text, OneKernel) {
  Model model = example::model(64);
  model.kernels.resize(1);
  const std::string text = render_prediction_text(model, example::predict_all(model, {16}));
  EXPECT_THAT(text, HasSubstr("sweep"));
  EXPECT_THAT(text, Not(HasSubstr("more kernels")));
}

/// A long name, and a time of two terms: 137 us + 8.72 ms / P.
struct TwoTermKernel {
  Model model = example::model(64);
  std::vector<Prediction> predictions;
  TwoTermKernel() {
    model.kernels[0].name = "void miniFE::exchange_halo_of_all_rows<double, int>(int, double*)";
    for (const int procs : {2, 4, 8, 16, 32, 64}) {
      predictions.push_back(example::predict_all(model, {procs}).front());
      const double time_s = 137e-6 + 8.72e-3 / procs;
      predictions.back().kernels[0].time = {time_s, time_s, time_s};
      predictions.back().kernels[0].name = model.kernels[0].name;
    }
  }
};

/// The line of `text` that follows the first one with `what`.
std::string line_below(const std::string& text, const std::string& what) {
  const std::size_t line = text.find('\n', text.find(what));
  return text.substr(line + 1, text.find('\n', line + 1) - line - 1);
}

TEST(Text, TheLawOfAKernelIsOneLineWithItsSource) {
  const TwoTermKernel of;
  Experiment experiment;
  experiment.runs = {example::run(8)};
  experiment.runs[0].kernels[0].id = of.model.kernels[0].id;
  experiment.runs[0].kernels[0].lines = {{"", "halo2d.c", 166, 9}};
  const std::string text =
      render_text(make_report(of.model, {of.predictions.back()}, &experiment, of.predictions));
  EXPECT_EQ(line_below(text, "exchange_halo"),
            "      follows 137 us + 8.72 ms / P; source halo2d.c:166");
  EXPECT_EQ(line_below(text, "residual   ").substr(0, 16), "      follows 2.");
}

TEST(Text, AFitShowsTheLawOfEachKernel) {
  const TwoTermKernel of;
  const std::string text = render_text(make_fit_report(of.model, of.predictions));
  EXPECT_EQ(line_below(text, "exchange_halo"),
            "      follows 137 us + 8.72 ms / P; source halo2d.c");
  EXPECT_THAT(text, HasSubstr("a short law of the fitted time from 2 to 64 processes"));
  EXPECT_THAT(render_fit_text(of.model), Not(HasSubstr("follows 137")));
}

TEST(Text, CallsThatDoNothingAreOneSentence) {
  RunProfile run = example::run(4);
  run.mpi.push_back({"MPI_Comm_rank", "other", 0, 0, "none", "main", 4, 0, 0, 0, 0, 0, 0});
  run.mpi.push_back({"MPI_Comm_rank", "other", 0, 0, "none", "setup", 8, 0, 0, 0, 0, 0, 0});
  run.mpi.push_back({"MPI_Type_commit", "other", 0, 0, "none", "main", 4, 0, 0, 0, 0, 0, 0});
  const std::string text = render_profile_text(run);
  EXPECT_THAT(text, HasSubstr("Calls that send nothing and take no time: MPI_Comm_rank (12) and "
                              "MPI_Type_commit (4)."));
  EXPECT_THAT(text, Not(HasSubstr("0 B         0 B         0 s")));
  EXPECT_THAT(text, Not(HasSubstr("setup")));
  EXPECT_THAT(text, HasSubstr("MPI_Allreduce")) << "a call that takes time stays in the table";
}

TEST(Text, OversubscribedRunsShowCountsButNoMpiTimes) {
  RunProfile run = example::run(4);
  run.config.oversubscribed = true;
  const std::string text = render_profile_text(run);
  EXPECT_THAT(text, HasSubstr("MPI_Allreduce"));
  EXPECT_THAT(text, Not(HasSubstr("time/call")));
  EXPECT_THAT(text, Not(HasSubstr("inside MPI,")));
}

TEST(Csv, AbsentFiguresHaveNoLineAndNamesAreQuoted) {
  Model model = example::model(2);
  model.kernels[0].name = "f(int, \"x\")";
  const std::string csv = render_csv(make_report(model, example::predict_all(model, {64})));
  EXPECT_THAT(csv, HasSubstr("kernels,1,\"f(int, \"\"x\"\")\",time,s,extrapolated,0."));
  EXPECT_THAT(csv, Not(HasSubstr("comm_p2p,s,,\n")));
  EXPECT_THAT(csv, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace apmt
