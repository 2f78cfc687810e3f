// Compares every kind of sentence and table of apmt learn and apmt advise, made from fixed values,
// with tests/golden/reports/sentences-learned.txt.
#include <gtest/gtest.h>

#include "reports/devices/learned.h"
#include "tests/unit/golden_file.h"
#include "tests/unit/reports/every_sentence.h"

namespace apmt {
namespace {

using namespace learned;

void data_sets(EverySentence* all) {
  all->about("data sets");
  DataFindings findings;
  findings.title = "Four kernels";
  findings.definitions = "counts, version 1";
  findings.runs = 4;
  findings.kernels = 3;
  findings.features = 2;
  findings.devices = 3;
  findings.distinct_features = 4;
  findings.runs_of = {{"fft", 1}, {"lud", 3}};
  findings.suites = {"rodinia", "shoc"};
  all->add(make_data_report(findings));
  findings.distinct_features = 3;
  findings.suites = {"shoc"};
  findings.missing = {{"share", 1}, {"time_s:gpu", 2}};
  findings.constant = {"share"};
  findings.equal = {{"loads", "reads"}};
  findings.alike = {{"lud/inner/1", "lud/inner/2"}};
  findings.repeated = {{"lud/inner/1", "lud/inner/1"}};
  for (int i = 0; i < 14; ++i)
    findings.shared_times.push_back({"lud/a/" + std::to_string(i), "lud/b/" + std::to_string(i)});
  all->add(make_data_report(findings));
}

ScoreLine score(const std::string& question, const std::string& method) {
  ScoreLine line;
  line.question = question;
  line.split = "one-application";
  line.method = method;
  line.runs = 40;
  return line;
}

void validations_of_learners(EverySentence* all) {
  all->about("validations of learners");
  all->add(make_learned_validation_report("Four kernels", {}));
  ScoreLine good = score("gpu > 1", "forest");
  good.accuracy = 0.8;
  good.interval = {0.65, 0.9};
  good.majority = 0.6;
  good.slow_down = 1.12;
  good.brier = 0.15;
  good.base_brier = 0.24;
  good.calibration = {{30, 0.8, 0.7}, {10, 0.3, 0.4}};
  ScoreLine poor = score("gpu > 5", "nnge");
  poor.accuracy = 0.6;
  poor.interval = {0.45, 0.74};
  poor.majority = 0.7;
  poor.brier = 0.3;
  poor.base_brier = 0.21;
  poor.leaks = 2;
  ScoreLine none = score("big > 5", "forest");
  none.unknown = "all examples are of one class";
  ScoreLine time = score("time on gpu", "forest");
  time.mean_error = 0.45;
  time.median_error = 0.21;
  ScoreLine suite = good;
  suite.split = "one-suite";
  suite.leaks = 1;
  all->add(make_learned_validation_report("Four kernels", {good, poor, none, time, suite}));
}

void learned_models(EverySentence* all) {
  all->about("learned models");
  LearnedModel model;
  model.data.head.title = "Four kernels";
  LearnedQuestion question;
  question.question.device = "gpu";
  question.trained.emplace();
  question.brier = 0.15;
  question.base_brier = 0.24;
  model.questions = {question};
  question.question.threshold = 2;
  question.brier = 0.3;
  model.questions.push_back(question);
  LearnedQuestion unknown;
  unknown.question.device = "big";
  unknown.question.threshold = 5;
  unknown.unknown = "all examples are of one class";
  model.questions.push_back(unknown);
  all->add(make_learned_model_report(model));
  model.questions.resize(1);
  all->add(make_learned_model_report(model).headline);
}

SpeedUpAdvice speed_up(const std::string& device, double threshold,
                       std::optional<double> probability) {
  SpeedUpAdvice advice;
  advice.device = device;
  advice.threshold = threshold;
  advice.probability = probability;
  return advice;
}

Advice planted_advice() {
  Advice advice;
  advice.kernel = "stencil";
  advice.reference = "cpu";
  advice.distance = 0.4;
  advice.limit = 1.2;
  advice.speed_ups = {speed_up("big", 1, 0.83), speed_up("big", 2, 0.2),
                      speed_up("gpu", 1, 0.7),  speed_up("gpu", 2, std::nullopt),
                      speed_up("old", 1, 0.3),  speed_up("old", 2, 0.1)};
  NearKernel near;
  near.title = "lud/inner/n=8";
  near.distance = 0.4;
  near.speed_ups = {{"big", 3.1}, {"gpu", 2.5}, {"old", 0.4}, {"tiny", 0.2}};
  near.differences = {{"loads", 1'000, 800, 1.4}, {"share", 0.5, 0.25, 0.8}};
  advice.nearest = {near};
  near.title = "fft/radix";
  near.distance = 0;
  near.speed_ups = {{"gpu", 0.3}, {"old", 0.2}};
  near.differences.clear();
  advice.nearest.push_back(near);
  return advice;
}

void advice_without_match(EverySentence* all) {
  all->about("learned advice");
  Comparison comparison;
  comparison.why_not = "the file has features only; match needs an analysis of apmt analyze";
  Advice advice = planted_advice();
  all->add(make_advice_report(advice, comparison));
  for (SpeedUpAdvice& each : advice.speed_ups)
    if (each.probability) *each.probability /= 2;
  all->add(make_advice_report(advice, comparison).headline);
  for (SpeedUpAdvice& each : advice.speed_ups) each.probability.reset();
  all->add(make_advice_report(advice, comparison).headline);
  advice.is_outside = true;
  advice.distance = 3.6;
  advice.speed_ups.clear();
  advice.nearest = {planted_advice().nearest[1]};
  all->add(make_advice_report(advice, comparison));
}

devices::DevicePrediction prediction(const std::string& device, double seconds) {
  devices::DevicePrediction p;
  p.device = device;
  p.time.emplace();
  p.time->computation_s = device == "cpu" ? seconds : seconds / 4;
  p.time->slow_memory_s = seconds - p.time->computation_s;
  p.time->total_s = seconds;
  return p;
}

void advice_with_match(EverySentence* all) {
  all->about("learned advice beside the analytical one");
  Comparison comparison;
  comparison.match.emplace();
  comparison.match->predictions = {prediction("big", 1), prediction("gpu", 2),
                                   prediction("tiny", 2.5), prediction("old", 3),
                                   prediction("cpu", 4)};
  comparison.match->predictions[0].notes = {"latencies of memory: left out, not on the card"};
  Disagreement likely{.threshold = 1, .probability = 0.83, .causes = {{"loads", 1'000, 10, 0.2}}};
  Disagreement unlikely{.threshold = 2,
                        .probability = 0.2,
                        .causes = {{"loads", 1'000, 10, 0.6}, {"share", 0.5, 0.1, 0.4}}};
  comparison.devices = {{"big", 4, true, unlikely},
                        {"gpu", 2, true, unlikely},
                        {"tiny", 1.6, true, std::nullopt},
                        {"old", 0.9, true, likely},
                        {"cpu", 1, false, std::nullopt}};
  comparison.devices.pop_back();
  comparison.without_card = {"huge", "new"};
  all->add(make_advice_report(planted_advice(), comparison));
  comparison.devices[3].disagreement->causes.clear();
  comparison.devices[2].is_compared = false;
  comparison.why_no_speed_ups = "the reference, cpu, has no card";
  comparison.without_card.clear();
  all->add(make_advice_report(planted_advice(), comparison));
}

TEST(EverySentence, OfLearnersIsAsReadersNeedIt) {
  EverySentence all(EverySentence::Tables::kWhole);
  data_sets(&all);
  validations_of_learners(&all);
  learned_models(&all);
  advice_without_match(&all);
  advice_with_match(&all);
  expect_golden("sentences-learned.txt", all.text());
}

}  // namespace
}  // namespace apmt
