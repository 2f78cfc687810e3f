#include "reports/difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/input_error.h"
#include "reports/comparable.h"
#include "reports/render.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const Change& find(const std::vector<Change>& changes, int procs, const std::string& what) {
  for (const Change& change : changes)
    if (change.procs == procs && change.what == what) return change;
  throw std::out_of_range(what);
}

/// Every kernel and the elapsed time were measured five times, with 1 % of scatter.
Model repeated() {
  Model model = example::model(64);
  for (ModelPoint& point : model.points) {
    point.repetitions = 5;
    point.rel_sigma = 0.01;
  }
  for (KernelModel& kernel : model.kernels)
    for (FitPoint& point : kernel.points) {
      point.repetitions = 5;
      point.rel_sigma = 0.01;
    }
  return model;
}

TEST(Chance, AgreesWithTablesOfStudentsDistribution) {
  // Equal scatter and 5 runs each give 8 degrees of freedom. Then |t| > 2.306 has a probability of
  // 5 %, and |t| > 3.355 has a probability of 1 %.
  const double error = 0.01 * std::sqrt(2.0 / 5);
  EXPECT_NEAR(*chance_of({1, 0.01, 5}, {std::exp(2.306 * error), 0.01, 5}), 0.05, 1e-4);
  EXPECT_NEAR(*chance_of({1, 0.01, 5}, {std::exp(-3.355 * error), 0.01, 5}), 0.01, 1e-4);
  // 2 degrees of freedom; the p-value in closed form: 1 - t / sqrt(2 + t^2).
  const double wide = 0.01;  // sqrt(2 * 0.01^2 / 2)
  EXPECT_NEAR(*chance_of({1, 0.01, 2}, {std::exp(3 * wide), 0.01, 2}), 1 - 3 / std::sqrt(11), 1e-6);
}

TEST(Chance, IsUnknownWithoutRepetitions) {
  EXPECT_FALSE(chance_of({1, 0, 1}, {2, 0.1, 5}));
  EXPECT_EQ(*chance_of({1, 0, 2}, {1, 0, 2}), 1);
  EXPECT_EQ(*chance_of({1, 0, 2}, {1.1, 0, 2}), 0) << "times without noise";
}

TEST(Chance, OfWhatIsNewOrGoneIsThatOfATimeBesideZero) {
  // 4 runs give 3 degrees of freedom; |t| > 3.182 has a probability of 5 %.
  const Sample some{1, 2 / 3.1824, 4};
  EXPECT_NEAR(*chance_of({0, 0, 4}, some), 0.05, 1e-4);
  EXPECT_EQ(chance_of(some, {0, 0, 4}), chance_of({0, 0, 4}, some));
  EXPECT_EQ(*chance_of({0, 0, 2}, {1, 0, 2}), 0) << "times without noise";
  EXPECT_FALSE(chance_of({0, 0, 4}, {0, 0, 4})) << "nothing to test";
  EXPECT_FALSE(chance_of({0, 0, 4, 0.01}, some)) << "perhaps no sample fell into it";
}

TEST(Difference, NewCommunicationIsSignificant) {
  Model before = repeated();
  Model after = before;
  for (Model* model : {&before, &after}) {
    CommModel messages;
    messages.part = "p2p";
    messages.points = model->kernels.front().points;
    for (FitPoint& point : messages.points) point.value = model == &before ? 0 : 0.5;
    std::erase_if(model->comm, [](const CommModel& comm) { return comm.part == "p2p"; });
    model->comm.push_back(messages);
    if (model == &after)
      for (ModelPoint& point : model->points) point.elapsed_s += 0.5;
  }
  const std::vector<Change> changes = compare(before, after);
  EXPECT_TRUE(find(changes, 2, "point-to-point communication").is_significant);
  EXPECT_THAT(make_difference_report(before, after, changes).headline,
              HasSubstr("point-to-point communication takes 500 ms more"));
}

/// The first kernel waits for memory for a share `memory` of its time. Its MPI calls wait for
/// `wait` times as long as the kernel takes.
Model with_parts(double memory, double wait) {
  Model model = repeated();
  KernelModel& kernel = model.kernels.front();
  MemorySplit split;
  split.from = "stalls";
  split.core.terms = {{.coefficient = 1}};
  split.unhidden.terms = {{.coefficient = 1}};
  split.ways = {{1 - memory, memory, 0}};
  kernel.law.split = split;
  kernel.calls.shares = {{"wait", {}, 0.5}};
  kernel.calls.wait_points = kernel.calls.transfer_points = kernel.points;
  for (FitPoint& point : kernel.calls.wait_points) point.value *= wait;
  return model;
}

TEST(Difference, IsToldByPartsOfKernels) {
  const std::vector<Change> changes = compare(with_parts(0.1, 1), with_parts(0.4, 2));
  const KernelModel kernel = with_parts(0.1, 1).kernels.front();
  const double time_s = kernel.points.back().value;
  const int procs = static_cast<int>(kernel.points.back().procs);
  const Change& memory = find(changes, procs, kernel.name + ": memory");
  EXPECT_NEAR(memory.difference_s, 0.3 * time_s, 1e-9);
  EXPECT_EQ(memory.part, "mem");
  EXPECT_FALSE(memory.chance)
      << "the model divides the time, so there is no scatter of measurements";
  EXPECT_NEAR(find(changes, procs, kernel.name + ": computation").difference_s, -0.3 * time_s,
              1e-9);
  const Change& waiting = find(changes, procs, kernel.name + ": its waiting");
  EXPECT_NEAR(waiting.difference_s, time_s, 1e-9);
  EXPECT_TRUE(waiting.is_significant);
  EXPECT_EQ(find(changes, procs, kernel.name + ": its messages").difference_s, 0);
}

TEST(Difference, WhatHasNoTimeOnEitherSideHasNoRow) {
  Model model = repeated();
  CommModel idle;
  idle.part = "coll";
  idle.points = model.kernels.front().points;
  for (FitPoint& point : idle.points) point.value = 0;
  std::erase_if(model.comm, [](const CommModel& comm) { return comm.part == "coll"; });
  model.comm.push_back(idle);
  const std::string text = render_text(make_difference_report(model, model, compare(model, model)));
  EXPECT_THAT(text, HasSubstr("No time before or after: time in collectives"));
  EXPECT_THAT(text, Not(testing::ContainsRegex("0 s +0 s")));
  EXPECT_EQ(find(compare(model, model), 2, "time in collectives").before.value_s, 0)
      << "JSON has it";
  for (FitPoint& point : model.comm.back().points) point.value = 9e-21;
  EXPECT_EQ(render_text(make_difference_report(model, model, compare(model, model))), text)
      << "rounding is no time, either";
}

TEST(Difference, OfAModelWithItselfIsNothing) {
  const Model model = repeated();
  for (const Change& change : compare(model, model)) {
    EXPECT_EQ(change.difference_s, 0) << change.what;
    EXPECT_FALSE(change.is_significant) << change.what;
  }
}

TEST(Difference, FindsTheKernelThatGotSlower) {
  const Model before = repeated();
  Model after = before;
  after.kernels[0].points.back().value *= 1.2;
  after.points.back().elapsed_s += 0.2 * before.kernels[0].points.back().value;
  const std::vector<Change> changes = compare(before, after);
  const int procs = before.points.back().procs;
  EXPECT_TRUE(find(changes, procs, "elapsed").is_significant);
  EXPECT_TRUE(find(changes, procs, before.kernels[0].name).is_significant);
  EXPECT_NEAR(find(changes, procs, before.kernels[0].name).difference_s,
              0.2 * before.kernels[0].points.back().value, 1e-12);
  EXPECT_FALSE(find(changes, procs, before.kernels[1].name).is_significant);
  EXPECT_FALSE(find(changes, before.points.front().procs, "elapsed").is_significant);
  const std::string text = render_text(make_difference_report(before, after, changes));
  EXPECT_THAT(text, HasSubstr("slower"));
  EXPECT_THAT(make_difference_report(before, after, changes).headline,
              HasSubstr("processes " + before.kernels[0].name + " takes"));
}

TEST(Difference, AKernelThatGotFasterIsNotWhyTheProgramIsSlower) {
  const Model before = repeated();
  Model after = before;
  after.kernels[0].points.back().value *= 0.5;
  after.kernels[1].points.back().value *= 1.4;
  after.points.back().elapsed_s *= 1.2;
  const Report report = make_difference_report(before, after, compare(before, after));
  EXPECT_THAT(report.headline, Not(HasSubstr(before.kernels[0].name)));
  EXPECT_THAT(report.headline, HasSubstr("slower"));
}

TEST(Difference, TooSmallForAnyoneIsNotSignificant) {
  const Model before = repeated();
  Model after = before;
  for (KernelModel& kernel : after.kernels)
    for (FitPoint& point : kernel.points) point.rel_sigma = 1e-6;
  after.kernels.back().points.back().value *= 1.5;  // 8 ms in a run of 2.2 s
  Model exact = before;
  for (KernelModel& kernel : exact.kernels)
    for (FitPoint& point : kernel.points) point.rel_sigma = 1e-6;
  for (const Change& change : compare(exact, after))
    EXPECT_FALSE(change.is_significant) << change.what;
}

TEST(Difference, ManyComparisonsMakeChanceLikelier) {
  const Model before = repeated();
  Model after = before;
  // Alone, this change would have a p-value below 5 %. Among a dozen comparisons, chance alone
  // often gives such a p-value.
  after.kernels[0].points.back().value *= std::exp(2.4 * 0.01 * std::sqrt(2.0 / 5));
  const std::vector<Change> changes = compare(before, after, {.threshold = 0});
  const Change& change = find(changes, before.points.back().procs, before.kernels[0].name);
  EXPECT_LT(*change.chance, 0.05);
  EXPECT_FALSE(change.is_significant);
}

TEST(Difference, AKernelWhoseSourceWasRenamedIsTheSameKernel) {
  const Model before = repeated();
  Model after = before;
  const std::string name = before.kernels[0].name;
  after.kernels[0].id.source = "renamed.cpp";
  after.kernels[0].points.back().value *= 1.2;
  const std::vector<Change> changes = compare(before, after);
  EXPECT_TRUE(find(changes, before.points.back().procs, name).is_significant);
  const std::string text = render_text(make_difference_report(before, after, changes));
  EXPECT_THAT(text, HasSubstr(before.kernels[0].id.source + " before, renamed.cpp after"));
  EXPECT_THAT(text, Not(HasSubstr("only before")));
  EXPECT_THAT(text, Not(HasSubstr("only after")));
}

TEST(Difference, ARegressionIsNotHiddenBehindAnElapsedTimeThatDidNotChange) {
  const Model before = repeated();
  Model after = before;
  after.kernels[0].points.front().value *= 1.2;  // at the fewest processes, not the most
  const std::vector<Change> changes = compare(before, after);
  const int procs = before.points.front().procs;
  ASSERT_TRUE(find(changes, procs, before.kernels[0].name).is_significant);
  const Report report = make_difference_report(before, after, changes);
  EXPECT_THAT(report.headline,
              HasSubstr("no change of the elapsed time stands out from the scatter"));
  EXPECT_THAT(report.headline, HasSubstr("But at"));
  EXPECT_THAT(report.headline, HasSubstr(before.kernels[0].name + " takes"));
  EXPECT_THAT(make_difference_report(before, before, compare(before, before)).headline,
              Not(HasSubstr("But")));
}

TEST(Difference, FewRepetitionsAreSaidToBeTooFew) {
  Change change;
  change.procs = 4;
  change.what = "elapsed";
  change.before = {.value_s = 1, .rel_sigma = 0.1, .repetitions = 2};
  change.after = {.value_s = 4, .rel_sigma = 0.1, .repetitions = 2};
  change.difference_s = 3;
  change.chance = 0.013;
  const Model model = repeated();
  EXPECT_THAT(make_difference_report(model, model, {change}).headline,
              HasSubstr("2 repetitions on a side are too few"));
  change.before.repetitions = change.after.repetitions = 5;
  EXPECT_THAT(make_difference_report(model, model, {change}).headline,
              HasSubstr("no change of the elapsed time stands out"));
}

/// A sampling error of 10 % means a hundred samples in the run, so one sample stands for a
/// hundredth of the time. A kernel without samples is shown as "less than one sample".
TEST(Difference, WhereNoSampleFellIsWhatOneIsWorth) {
  Model before = with_parts(0.1, 1);
  for (ModelPoint& point : before.points) {
    ASSERT_TRUE(point.parts.comp_s);
    point.parts.comp_s->value = 2;
    point.parts.comp_s->rel_sampling = 0.1;
  }
  Model after = before;
  for (FitPoint& point : after.kernels[0].points) point.value = 0;
  for (FitPoint& point : before.kernels[1].points) point.value = 0;
  const int procs = before.points.front().procs;
  const Report report = make_difference_report(before, after, compare(before, after));
  std::size_t found = 0;
  for (const ReportRow& row : report.sections.front().tables.front().rows) {
    if (row.cells[0].value != procs) continue;
    const std::string& what = row.cells[1].text;
    const ReportCell &was = row.cells[2], &is = row.cells[3], &change = row.cells[4];
    EXPECT_NE(what, before.kernels[0].name + ": memory") << "there is nothing to divide";
    if (what == before.kernels[0].name) {
      ++found;
      EXPECT_EQ(was.text, "");
      EXPECT_EQ(is.text, "< 20 ms");
      EXPECT_EQ(is.value, 0.0);
      EXPECT_FALSE(change.value) << "unknown, not zero";
    }
    if (what == before.kernels[1].name) {
      ++found;
      EXPECT_EQ(was.text, "< 20 ms");
      EXPECT_EQ(is.text, "");
      EXPECT_FALSE(change.value);
    }
  }
  EXPECT_EQ(found, 2u);
  for (ModelPoint& point : after.points) point.parts.comp_s->rel_sampling = 0;
  const std::vector<Change> changes = compare(before, after);
  EXPECT_EQ(find(changes, procs, before.kernels[0].name).after.one_sample_s, std::nullopt)
      << "without sampling, a zero is exact";
}

TEST(Difference, AKernelOfOneSideIsInTheRestOfTheComputation) {
  const Model before = repeated();
  Model after = before;
  ASSERT_NE(after.kernels[0].role, KernelRole::kRest);
  after.kernels[0].id.linkage_name = after.kernels[0].name = "another";
  for (FitPoint& point : after.kernels[0].points) point.value *= 3;
  const std::vector<Change> changes = compare(before, after);
  const Change& rest = find(changes, 2, "the rest of the computation");
  const double kernel_s = before.kernels[0].points.front().value;
  EXPECT_NEAR(rest.difference_s, 2 * kernel_s, 1e-12);
  EXPECT_GE(rest.before.value_s, kernel_s);
  EXPECT_TRUE(rest.is_significant);
  after.kernels.erase(after.kernels.begin());
  const std::vector<Change> gone = compare(before, after);
  EXPECT_NEAR(find(gone, 2, "the rest of the computation").difference_s, -kernel_s, 1e-12);
  for (const Change& change : compare(before, before))
    EXPECT_NE(change.what, "the rest of the computation") << "every kernel has a partner";
}

/// Imported times: waiting is in the messages, start and end are in the rest, and kernels have the
/// names of call paths.
TEST(Difference, WhatAnImportDoesNotTellIsNoChange) {
  Model before = repeated();
  before.comm.clear();
  for (const char* part : {"p2p", "coll", "wait"}) {
    CommModel& comm = before.comm.emplace_back();
    comm.part = part;
    comm.points = before.kernels[0].points;
    for (FitPoint& p : comm.points) p.value = 0.25;
  }
  before.start.points = before.end.points = before.kernels[0].points;
  Model after = before;
  for (CommModel& comm : after.comm)
    for (FitPoint& p : comm.points)
      if (comm.part != "coll") p.value = comm.part == "wait" ? 0 : 0.5;
  for (PartModel* part : {&after.start, &after.end})
    for (FitPoint& p : part->points) p.value = 0;
  for (KernelModel& kernel : after.kernels)
    if (kernel.role != KernelRole::kRest)
      kernel.id.linkage_name = kernel.name = "main->" + kernel.name;
  ASSERT_FALSE(lacks_waiting_and_ends(before));
  ASSERT_TRUE(lacks_waiting_and_ends(after));
  bool has_sum = false, has_kernel = false;
  for (const Change& change : compare(before, after)) {
    EXPECT_NEAR(change.difference_s, 0, 1e-12) << change.what;
    has_sum = has_sum || change.what == "messages, collectives and waiting";
    has_kernel = has_kernel || change.what == before.kernels[0].name;
  }
  EXPECT_TRUE(has_sum);
  EXPECT_TRUE(has_kernel) << "main->sweep is sweep";
  EXPECT_THAT(make_difference_report(before, after, compare(before, after)).warnings,
              Contains(HasSubstr("the times after were imported")));
  EXPECT_THAT(make_difference_report(before, before, compare(before, before)).warnings,
              Not(Contains(HasSubstr("imported"))));
}

TEST(Difference, NeedsAPointInCommon) {
  const Model before = repeated();
  Model after = before;
  for (ModelPoint& point : after.points) point.procs *= 3;
  EXPECT_THROW(compare(before, after), InputError);
}

}  // namespace
}  // namespace apmt
