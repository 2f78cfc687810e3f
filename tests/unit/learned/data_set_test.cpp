#include "devices/learned/data_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "devices/learned/collect.h"
#include "devices/learned/data_checks.h"
#include "tests/paths.h"
#include "tests/unit/learned/small_data.h"

namespace apmt::learned {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    parse_data_set(text, "small.csv");
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "none";
}

TEST(DataSet, IsReadAndWrittenWithoutLoss) {
  const DataSet data = parse_data_set(small_text(), "small.csv");
  ASSERT_EQ(data.runs.size(), 3u);
  EXPECT_EQ(data.runs[2].application, "fft, 2");
  EXPECT_EQ(title_of(data.runs[2]), "fft, 2/radix");
  EXPECT_EQ(data.runs[0].features, (std::vector<std::optional<double>>{1000, 0.5}));
  EXPECT_EQ(data.runs[2].times_s, (std::vector<std::optional<double>>{1e-3, 2e-3, std::nullopt}));
  EXPECT_EQ(data.head.definitions.features[0].log_floor, 0.5);
  EXPECT_FALSE(data.head.definitions.features[1].log_floor);
  EXPECT_FALSE(data.head.devices[1].bandwidth_bytes_per_s);

  const std::string text = to_text(data);
  EXPECT_EQ(to_text(parse_data_set(text, "again")), text);
  EXPECT_THAT(text, HasSubstr("\"fft, 2\",radix,,shoc,1000,0.5,0.001,0.002,\n"));
}

TEST(DataSet, ColumnsMayStandInAnyOrder) {
  const DataSet data = parse_data_set(
      kSmallHead +
          "share,time_s:gpu,loads,kernel,application,suite,time_s:big,input,time_s:cpu\n"
          "0.5,2,7,k,a,,4,,1\n",
      "small.csv");
  EXPECT_EQ(data.runs[0].features, (std::vector<std::optional<double>>{7, 0.5}));
  EXPECT_EQ(data.runs[0].times_s, (std::vector<std::optional<double>>{1, 2, 4}));
}

TEST(DataSet, RefusalsNameLineAndColumn) {
  EXPECT_THAT(refusal_of(with(small_text(), "1000,0.5,1,", "many,0.5,1,")),
              HasSubstr("small.csv:8, column 'loads': expected a number, not 'many'"));
  EXPECT_THAT(refusal_of(with(small_text(), "1000,0.5,1,", "nan,0.5,1,")),
              HasSubstr("small.csv:8, column 'loads': 'nan' is not a finite number"));
  EXPECT_THAT(refusal_of(with(small_text(), "0.5,1,0.5", "0.5,1,inf")),
              HasSubstr("column 'time_s:gpu': 'inf' is not a finite number"));
  EXPECT_THAT(refusal_of(with(small_text(), "0.5,1,0.5", "0.5,0,0.5")),
              HasSubstr("column 'time_s:cpu': a time must be above zero"));
  EXPECT_THAT(refusal_of(with(small_text(), "1000,0.5,1,", "-1e101,0.5,1,")),
              HasSubstr("column 'loads': expected a number from -1e100 to 1e100"));
  EXPECT_THAT(refusal_of(with(small_text(), "0.5,1,0.5", "0.5,1e-300,0.5")),
              HasSubstr("column 'time_s:cpu': a time must be above zero"));
  EXPECT_THAT(refusal_of(with(small_text(), ",0.251\n", "\n")),
              HasSubstr("small.csv:9: has 8 cells, expected 9"));
  EXPECT_THAT(refusal_of(with(small_text(), "\"fft, 2\"", "\"fft")),
              HasSubstr("small.csv:10: a quotation does not end"));
  EXPECT_THAT(refusal_of(with(small_text(), "suite,loads", "suite,stores")),
              HasSubstr("describes a column 'loads' that is missing"));
  EXPECT_THAT(refusal_of(with(small_text(), "suite,loads", "suite,extra,loads")),
              HasSubstr("does not describe the column 'extra'"));
  EXPECT_THAT(refusal_of(kSmallTable), HasSubstr("has no head"));
  EXPECT_THAT(refusal_of(with(small_text(), "\"reference\": \"cpu\"", "\"reference\": \"tpu\"")),
              HasSubstr("the reference 'tpu' is none of the devices"));
  EXPECT_THAT(refusal_of(with(small_text(), "\"licence\": \"MIT\"", "\"licence\": \"\"")),
              HasSubstr("licence"));
  EXPECT_THAT(refusal_of(with(small_text(), "\"kind\": \"cpu\"", "\"kind\": \"toaster\"")),
              HasSubstr("kind"));
}

TEST(DataSet, NoKernelIsNotEnough) {
  try {
    parse_data_set(kSmallHead + kSmallTable.substr(0, kSmallTable.find('\n') + 1), "small.csv");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::kNotEnoughData);
  }
}

TEST(DataSet, OtherVersionsOfFeaturesDoNotMeet) {
  const DataSet data = parse_data_set(small_text(), "small.csv");
  const DataSet newer =
      parse_data_set(with(small_text(), "\"version\": \"1\"", "\"version\": \"2\""), "newer.csv");
  EXPECT_THROW(joined({data, newer}), InputError);
  const DataSet changed = parse_data_set(with(small_text(), "0.5}, {", "0.25}, {"), "changed.csv");
  EXPECT_THROW(joined({data, changed}), InputError);
}

TEST(DataSet, JoinedSetsHaveTheDevicesOfBoth) {
  const DataSet data = parse_data_set(small_text(), "small.csv");
  std::string other = with(small_text(), "\"name\": \"gpu\"", "\"name\": \"new\"");
  other = with(other, "time_s:gpu", "time_s:new");
  const DataSet all = joined({data, parse_data_set(other, "other.csv")});
  ASSERT_EQ(all.head.devices.size(), 4u);
  EXPECT_EQ(all.head.devices[3].name, "new");
  ASSERT_EQ(all.runs.size(), 6u);
  EXPECT_EQ(all.runs[0].times_s, (std::vector<std::optional<double>>{1, 0.5, 0.25, std::nullopt}));
  EXPECT_EQ(all.runs[3].times_s, (std::vector<std::optional<double>>{1, std::nullopt, 0.25, 0.5}));
}

TEST(Collect, AddsAKernelWithItsTimes) {
  const TemporaryFolder folder;
  const auto analysis = folder.path() / "analysis.json";
  const std::string text =
      R"({"format": "apmt-kernel-features", "format_version": "1.0", "kernel": "solve",
      "definitions": {"name": "counts", "version": "1"}, "features": {"loads": 7, "share": 0.125}})";
  write_file_atomically(analysis, text);
  DataSet data = parse_data_set(small_text(), "small.csv");
  const MeasuredKernel measured{
      .application = "cg", .input = "n=8", .suite = "", .times = {"cpu=2", "gpu=0.5"}};
  collect(&data, analysis, measured);
  ASSERT_EQ(data.runs.size(), 4u);
  EXPECT_EQ(title_of(data.runs[3]), "cg/solve/n=8");
  EXPECT_EQ(data.runs[3].features, (std::vector<std::optional<double>>{7, 0.125}));
  EXPECT_EQ(data.runs[3].times_s, (std::vector<std::optional<double>>{2, 0.5, std::nullopt}));
  EXPECT_EQ(to_text(parse_data_set(to_text(data), "again")), to_text(data));

  EXPECT_THROW(collect(&data, analysis, measured), InputError);  // it already has this kernel
  const auto refused = [&](const std::string& application, const std::vector<std::string>& times) {
    EXPECT_THROW(collect(&data, analysis, {application, "n=9", "", times}), InputError);
  };
  refused("", {"cpu=1"});
  refused("cg", {});
  refused("cg", {"cpu"});
  refused("cg", {"tpu=1"});
  refused("cg", {"cpu=0"});
  refused("cg", {"cpu=fast"});
  refused("cg", {"cpu=1", "cpu=2"});
  write_file_atomically(analysis, with(text, "\"version\": \"1\"", "\"version\": \"2\""));
  refused("cg", {"cpu=1"});
  EXPECT_EQ(data.runs.size(), 4u);
}

TEST(DataChecks, SayWhatCannotBeLearnedFrom) {
  const DataFindings found = check_data(parse_data_set(small_text(), "small.csv"));
  EXPECT_EQ(found.runs, 3);
  EXPECT_EQ(found.kernels, 3);
  EXPECT_EQ(found.distinct_features, 2);
  EXPECT_THAT(found.suites, ElementsAre("rodinia", "shoc"));
  EXPECT_THAT(found.missing, ElementsAre(testing::Pair("big", 1)));
  EXPECT_THAT(found.alike, ElementsAre(ElementsAre("lud/inner/n=8", "fft, 2/radix")));
  EXPECT_THAT(found.shared_times, ElementsAre(ElementsAre("lud/inner/n=8", "lud/edge/n=8")));
  EXPECT_TRUE(found.constant.empty());
  EXPECT_TRUE(found.repeated.empty());

  const DataFindings flat = check_data(parse_data_set(
      kSmallHead + "application,kernel,input,suite,loads,share,time_s:cpu,time_s:gpu,time_s:big\n"
                   "a,k,1,s,3,3,1,1,1\na,k,1,s,4,4,1,1,2\na,l,1,s,,4,1,1,2\n",
      "flat.csv"));
  EXPECT_THAT(flat.repeated, ElementsAre(ElementsAre("a/k/1", "a/k/1")));
  EXPECT_THAT(flat.missing, ElementsAre(testing::Pair("loads", 1)));
  EXPECT_TRUE(flat.equal.empty());
  const DataFindings twice = check_data(parse_data_set(
      kSmallHead + "application,kernel,input,suite,loads,share,time_s:cpu,time_s:gpu,time_s:big\n"
                   "a,k,1,s,3,3,1,1,1\na,k,2,s,4,4,1,1,2\n",
      "twice.csv"));
  EXPECT_THAT(twice.equal, ElementsAre(ElementsAre("loads", "share")));
  const DataFindings same = check_data(parse_data_set(
      kSmallHead + "application,kernel,input,suite,loads,share,time_s:cpu,time_s:gpu,time_s:big\n"
                   "a,k,1,s,3,3,1,1,1\na,k,2,s,3,4,1,1,2\n",
      "same.csv"));
  EXPECT_THAT(same.constant, ElementsAre("loads"));
}

/// Kernels l and n have the same times as k, except that the first time of l is missing. Kernel m
/// has only the first and the last time of k.
TEST(DataChecks, SharedTimesAreFoundBesideMissingOnes) {
  const std::string head =
      with(kSmallHead, R"({"name": "big", "kind": "gpu"})",
           R"({"name": "big", "kind": "gpu"}, {"name": "old", "kind": "gpu"})");
  const DataFindings found = check_data(parse_data_set(
      head +
          "application,kernel,input,suite,loads,share,time_s:cpu,time_s:gpu,time_s:big,time_s:old\n"
          "a,k,1,s,1,5,1,4,7,9\na,l,1,s,2,6,,4,7,9\na,m,1,s,3,7,1,5,8,9\na,n,1,s,4,8,1,4,7,9\n",
      "shared.csv"));
  EXPECT_THAT(found.shared_times, ElementsAre(ElementsAre("a/k/1", "a/l/1", "a/n/1")));
}

/// Known properties of the data that come with apmt.
TEST(DataChecks, ShippedData) {
  const DataFindings found = check_data(read_data_set(source_dir() + "/configs/learned/aiwc.csv"));
  EXPECT_EQ(found.runs, 76);
  EXPECT_EQ(found.features, 31);
  EXPECT_EQ(found.devices, 15);
  EXPECT_EQ(found.distinct_features, 65);
  EXPECT_EQ(found.runs_of.size(), 7u);
  EXPECT_EQ(found.runs_of.at("hmm"), 34);
  EXPECT_TRUE(found.missing.empty());
  ASSERT_EQ(found.shared_times.size(), 4u);
  for (const std::vector<std::string>& pair : found.shared_times)
    EXPECT_THAT(pair, testing::Each(testing::StartsWith("fft/")));
}

}  // namespace
}  // namespace apmt::learned
