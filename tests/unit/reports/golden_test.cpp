// Compares whole reports exactly with files in tests/golden/reports (golden_file.h).
#include <gtest/gtest.h>

#include <cmath>

#include "base/checked_json.h"
#include "fitter/prediction/outlook.h"
#include "reports/outlook_text.h"
#include "reports/process_counts.h"
#include "reports/render.h"
#include "tests/unit/fitter/synthetic_runs.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

Report whole_report() {
  const Model model = example::model(64);
  Experiment experiment;
  experiment.runs = {example::run(8)};
  const Ahead ahead = example::ahead(model, example::predict_at(model, 256));
  return make_report(model, example::predict_all(model, {4, 16, 64, 256}), &experiment,
                     example::predict_all(model, curve_procs(model, {256})), nullptr, &ahead);
}

TEST(Golden, PredictionWithoutCommunication) {
  const Model model = example::model(2);
  expect_golden("predict-oversubscribed.txt",
                render_prediction_text(model, example::predict_all(model, {16, 64})));
}

TEST(Golden, Prediction) {
  const Model model = example::model(64);
  expect_golden("predict.txt",
                render_prediction_text(model, example::predict_all(model, {16, 64})));
}

/// The program is free of noise, so its laws determine every digit.
TEST(Golden, WhatIfAndOutlook) {
  std::vector<synthetic::PlantedRun> runs;
  for (const int p : {4, 8, 16}) {
    runs.push_back(synthetic::halo_run(p));
    runs.back().cpus = 64;
    runs.back().ops[1].bytes = 0;  // otherwise bytes grow like calls, and latency is unknown
    // The times are rounded to so few binary digits that sums over the ranks are exact; otherwise
    // rounding errors would appear as waiting.
    for (double* s : {&runs.back().p2p_s, &runs.back().coll_s})
      *s = std::ldexp(std::round(std::ldexp(*s, 40)), -40);
  }
  const Model model = synthetic::fit_runs(runs);
  const Predictor predictor(model);
  Scenario scenario{.procs = 256, .params = {}, .scaling = {}};
  scenario.what_if.of(Knob::kLatency) = KnobChange{KnobChange::Kind::kFactor, 10};
  scenario.what_if.of(Knob::kBandwidth) = KnobChange{KnobChange::Kind::kFactor, 0.5};
  scenario.what_if.of(Knob::kFrequency) = KnobChange{KnobChange::Kind::kFactor, 1.25};
  scenario.what_if.cores_per_node = 32;
  expect_golden(
      "predict-what-if.txt",
      render_prediction_text(model, {predictor.predict(scenario)}) +
          render_outlook_text(outlook_sentences(look_ahead(predictor, model, scenario, 0.5))));
}

TEST(Golden, Fit) { expect_golden("fit.txt", render_fit_text(example::model(2))); }

TEST(Golden, Profile) { expect_golden("profile.txt", render_profile_text(example::run())); }

TEST(Golden, ReportAsText) { expect_golden("report.txt", render_text(whole_report())); }

TEST(Golden, ReportAsCsv) { expect_golden("report.csv", render_csv(whole_report())); }

TEST(Golden, ReportAsJson) { expect_golden("report.json", format_json(to_json(whole_report()))); }

TEST(Golden, ReportAsHtml) { expect_golden("report.html", render_html(whole_report())); }

}  // namespace
}  // namespace apmt
