// Tests of what a report says about the predicted time after single changes: the table below the
// advice, and the sentence that names changes which help little.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/render.h"
#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class HalvedCostsText : public ::testing::Test {
 protected:
  ReportSection section() const {
    ReportSection made{.id = "guidance", .title = "What to do about it"};
    add_halved_costs(model_, target_, changes_, &made);
    return made;
  }
  std::vector<std::string> first_cells() const {
    std::vector<std::string> names;
    const ReportSection made = section();
    for (const ReportRow& row : made.tables.at(0).rows) names.push_back(row.cells[0].text);
    return names;
  }
  Model model_ = example::model(64);
  Prediction target_ = example::predict_at(model_, 256);  // 58 % messages, 30 % start and end
  std::vector<HalvedCost> changes_ = example::halved(model_, target_);
};

TEST_F(HalvedCostsText, TheTimeAfterTheBestChangeIsPredicted) {
  EXPECT_THAT(section().sentences,
              Contains("Helps most: point-to-point communication. At half the cost, expect 1.3 s "
                       "(0.97 to 1.8, 80 %) at 256 processes instead of 1.9 s."));
  EXPECT_THAT(first_cells(),
              ElementsAre("point-to-point communication", "the start of the program"));
}

TEST_F(HalvedCostsText, WhatHelpsLittleIsNamedAndNotInTheTable) {
  EXPECT_THAT(section().sentences,
              Contains("Helps little (at most 2.9 % less time each): collectives, "
                       "twice the core frequency, computation in sweep, computation in "
                       "exchange_pack and computation in residual."));
  EXPECT_THAT(first_cells(), Not(Contains("sweep")));
}

TEST_F(HalvedCostsText, ManyThatHelpLittleAreCounted) {
  for (HalvedCost& change : changes_) change.saved = 0.01;
  const HalvedCost other = changes_.back();
  for (int i = 0; i < 5; ++i) changes_.push_back(other);
  const std::vector<std::string> sentences = section().sentences;
  EXPECT_THAT(sentences.back(), HasSubstr("and 5 others."));
  EXPECT_EQ(first_cells().size(), 1u) << "the best of them is in the table nevertheless";
}

TEST_F(HalvedCostsText, AChangeOfTheProgramComesBeforeAnotherMachine) {
  std::vector<HalvedCost> machine_first;
  machine_first.push_back({.of = HalvedCost::Of::kMachine, .knob = Knob::kBandwidth});
  machine_first.back().saved = 0.45;
  machine_first.back().time = example::around(1.04, 0.1);
  machine_first.insert(machine_first.end(), changes_.begin(), changes_.end());
  changes_ = machine_first;
  EXPECT_THAT(section().sentences.front(),
              StartsWith("Helps most in the program: point-to-point"));
  EXPECT_THAT(section().sentences.front(),
              HasSubstr("Another machine may help more: twice the network bandwidth saves 45 %."));
  EXPECT_EQ(first_cells().front(), "twice the network bandwidth");
  for (std::size_t i = 1; i < changes_.size(); ++i) changes_[i].saved = 0.03;
  EXPECT_THAT(section().sentences.front(), StartsWith("Helps most: twice the network bandwidth"))
      << "because no change of the program saves much";
  changes_.resize(1);
  EXPECT_EQ(section().sentences.front(),
            "Helps most: twice the network bandwidth. With it, expect 1.0 s (0.95 to 1.1, 80 %) at "
            "256 processes instead of 1.9 s.");
}

TEST_F(HalvedCostsText, TheTableSaysThatAFasterCoreShortensWaiting) {
  target_.parts.comm_wait = example::around(0.5, 0.1);
  EXPECT_THAT(section().tables.at(0).caption, Not(HasSubstr("faster core")))
      << "because no row of the table is about the frequency";
  for (HalvedCost& change : changes_)
    if (change.of == HalvedCost::Of::kMachine && change.knob == Knob::kFrequency)
      change.saved = 0.2;
  EXPECT_THAT(section().tables.at(0).caption, HasSubstr("a faster core also shortens the waiting"));
  target_.parts.comm_wait.reset();
  EXPECT_THAT(section().tables.at(0).caption, Not(HasSubstr("faster core")));
}

TEST_F(HalvedCostsText, NothingIsSaidOfWorthlessPredictions) {
  target_.worthless = true;
  EXPECT_TRUE(section().sentences.empty());
  EXPECT_TRUE(section().tables.empty());
}

TEST_F(HalvedCostsText, ItStandsWithTheAdviceAndAsABar) {
  const Ahead ahead = example::ahead(model_, target_);
  const Report report = make_report(model_, {target_}, nullptr, {}, nullptr, &ahead);
  const std::string html = render_html(report);
  const std::size_t advice = html.find("<section id=\"guidance\"");
  const std::size_t saving = html.find("Helps most: ");
  const std::size_t kernels = html.find("<section id=\"kernels\"");
  ASSERT_NE(saving, std::string::npos);
  EXPECT_TRUE(advice < saving && saving < kernels);
  EXPECT_THAT(html, HasSubstr("class=\"gauge\" style=\"--share:29.2%\""));
}

class ProblemOfReport : public ::testing::Test {
 protected:
  /// The facts of a report, as one text.
  std::string facts() {
    if (experiment_.runs.empty()) experiment_.runs = {example::run(8)};
    experiment_.runs.back().command = command_;
    Prediction target = example::predict_at(model_, 64);
    target.params = params_;
    std::string text;
    const Report report = make_report(model_, {target}, &experiment_);
    for (const ReportFact& fact : report.facts) text += fact.name + ": " + fact.value + "\n";
    return text;
  }
  Model model_ = example::model(64);
  Experiment experiment_;
  std::string command_ = "/opt/x/halo2d 4000 200";
  std::map<std::string, double> params_ = {{"n", 4000}};
};

TEST_F(ProblemOfReport, ItsSizeAndItsCommandComeFirst) {
  EXPECT_THAT(facts(), StartsWith("program: halo2d\nproblem: n = 4000\n"
                                  "command: halo2d 4000 200 (8 processes)\n"));
}

TEST_F(ProblemOfReport, CommandsOfOtherProcessCountsAreShownWhereTheyDiffer) {
  experiment_.runs = {example::run(2), example::run(2), example::run(4), example::run(8)};
  for (RunProfile& run : experiment_.runs) run.command = command_;
  experiment_.runs[0].command = experiment_.runs[1].command = "/opt/x/halo2d 8000 200";
  EXPECT_THAT(facts(), HasSubstr("command: halo2d 4000 200 (8 processes); with 2: halo2d 8000 "
                                 "200\n"));
  experiment_.runs[0].config.params = experiment_.runs[1].config.params = {{"n", 8000}};
  EXPECT_THAT(facts(), HasSubstr("command: halo2d 4000 200 (8 processes)\n"))
      << "another problem size";
}

TEST_F(ProblemOfReport, WithoutANamedSizeTheCommandShowsIt) {
  params_.clear();
  EXPECT_THAT(facts(), StartsWith("program: halo2d\ncommand: halo2d 4000 200 (8 processes)\n"));
}

TEST_F(ProblemOfReport, WithoutEitherItSaysSo) {
  params_.clear();
  command_ = "halo2d";
  EXPECT_THAT(facts(), HasSubstr("problem: not named\n"));
  command_.clear();
  EXPECT_THAT(facts(), HasSubstr("problem: not named\n"));
  EXPECT_THAT(facts(), Not(HasSubstr("command")));
}

}  // namespace
}  // namespace apmt
