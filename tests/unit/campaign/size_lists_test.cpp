#include "cli/size_lists.h"

#include <gtest/gtest.h>

#include "base/input_error.h"
#include "cli/verbs.h"

namespace apmt {
namespace {

TEST(ParseSizes, OnlyImportedOnesHaveDigitsInTheirNames) {
  EXPECT_THROW(parse_sizes({"n1=5"}), InputError);
  const std::map<std::string, double> wanted = {{"n1", 5}};
  EXPECT_EQ(parse_sizes({"n1=5"}, SizeNames::kImportedToo), wanted);
  EXPECT_THROW(parse_sizes({"1n=5"}, SizeNames::kImportedToo), InputError);
}

TEST(SizeLists, ValuesBelongToTheNameBeforeThem) {
  const auto lists = parse_size_lists({"n=1000,2e3,iter=50", "m=0.5"});
  ASSERT_EQ(lists.size(), 3u);
  EXPECT_EQ(lists.at("n").size(), 2u);
  EXPECT_EQ(lists.at("n")[1].text, "2e3");
  EXPECT_EQ(lists.at("n")[1].value, 2000);
  EXPECT_EQ(lists.at("iter").front().value, 50);
  EXPECT_EQ(lists.at("m").front().value, 0.5);
}

TEST(SizeLists, RefusesWhatIsNoSize) {
  EXPECT_THROW(parse_size_lists({"1000"}), InputError);
  EXPECT_THROW(parse_size_lists({"n=1000,"}), InputError);
  EXPECT_THROW(parse_size_lists({"n1=5"}), InputError);
  EXPECT_THROW(parse_size_lists({"p=4"}), InputError);
}

TEST(Sizes, OfARunHaveOneValueEach) {
  const std::map<std::string, double> wanted = {{"m", 0.5}, {"n", 1000}};
  EXPECT_EQ(parse_sizes({"n=1000,m=0.5", "n=1e3"}), wanted) << "the same value twice is one value";
  for (const auto& twice : {std::vector<std::string>{"n=1,n=2"}, {"n=1", "n=2"}}) try {
      parse_sizes(twice);
      FAIL() << twice.front();
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "--set: 'n' is given two values: 1 and 2");
    }
}

TEST(CampaignPoints, AreEveryCombination) {
  const auto points = campaign_points({2, 4}, parse_size_lists({"n=1,2,3", "m=7,8"}));
  EXPECT_EQ(points.size(), 2u * 3u * 2u);
  EXPECT_EQ(points[0].procs, 2);
  EXPECT_EQ(points[1].procs, 4);
}

TEST(CampaignPoints, ACountGivenTwiceIsOnePoint) {
  const auto points = campaign_points({2, 1, 2}, parse_size_lists({"n=1,2"}));
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[1].procs, 1);
  EXPECT_EQ(points[2].procs, 2);
}

TEST(WeakScaling, KeepsTheWorkPerProcess) {
  auto points = campaign_points({2, 8, 54}, parse_size_lists({"n=100", "iter=5"}));
  scale_weakly("n*n*n", &points);
  EXPECT_EQ(points[0].sizes.at("n").text, "100");
  EXPECT_EQ(points[1].sizes.at("n").text, "159");  // 100 * 4^(1/3)
  EXPECT_EQ(points[2].sizes.at("n").text, "300");  // 100 * 27^(1/3)
  EXPECT_EQ(points[2].sizes.at("iter").value, 5) << "not part of the work";
}

TEST(WeakScaling, TakesTheProductUnlessToldOtherwise) {
  auto points = campaign_points({1, 4}, parse_size_lists({"nx=10", "ny=20"}));
  scale_weakly("", &points);
  EXPECT_EQ(points[1].sizes.at("nx").value, 20);
  EXPECT_EQ(points[1].sizes.at("ny").value, 40);
}

TEST(WeakScaling, WhatIsAssumedOfTheWorkIsSaid) {
  auto points = campaign_points({1, 4}, parse_size_lists({"n=500,600", "it=50"}));
  scale_weakly("", &points);
  EXPECT_EQ(
      assumed_work(points),
      "without --work, the work is taken as it * n, and weak scaling keeps it per process (it "
      "= 50, n = 500 at P = 1; it = 100, n = 1000 at P = 4); if the work grows otherwise, "
      "name it, for example --work 'n^2'");
  auto of_processes = campaign_points({1, 4}, {});
  scale_weakly("", &of_processes);
  EXPECT_EQ(assumed_work(of_processes), "") << "another sentence says this";
  EXPECT_EQ(assumed_work(campaign_points({4}, parse_size_lists({"n=5"}))), "");
}

TEST(WeakScaling, WithoutSizesTheWorkIsTheNumberOfProcesses) {
  auto points = campaign_points({2, 8}, {});
  scale_weakly("", &points);
  EXPECT_EQ(points[0].params(), (std::map<std::string, double>{{"work", 2}}));
  EXPECT_EQ(points[1].params(), (std::map<std::string, double>{{"work", 8}}));
}

TEST(WeakScaling, NeedsASizeThatGrows) {
  auto none = campaign_points({1, 4}, {});
  EXPECT_THROW(scale_weakly("n*n", &none), InputError);
  auto flat = campaign_points({1, 4}, parse_size_lists({"n=10"}));
  EXPECT_THROW(scale_weakly("n/n", &flat), InputError);
}

}  // namespace
}  // namespace apmt
