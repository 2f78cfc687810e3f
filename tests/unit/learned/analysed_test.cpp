// Tests of reading the features of kernels from analyses, for collect and advise.
#include "tests/unit/kernels/analysed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "devices/learned/advice.h"
#include "devices/learned/aiwc_features.h"
#include "devices/learned/collect.h"
#include "tests/paths.h"

namespace apmt::learned {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// An analysis of tests/kernels/opencl, without the counts of functions. The command was
///   apmt analyze --opencl --kernel product --kernel triad
///     --with mix,parallelism,all-operations,stack-distances,aiwc-compat
std::filesystem::path opencl_analysis() {
  return source_dir() + "/tests/unit/learned/data/opencl.analysis.json";
}

FeatureDefinitions definitions_of(const std::string& shipped) {
  return read_data_set(source_dir() + "/configs/learned/" + shipped, 0).head.definitions;
}

kernels::Analysis native_analysis() {
  kernels::Analysis analysis =
      kernels::testing::Analysed(kernels::testing::triad(64), {.stack_distance = true}).analysis;
  analysis.program = "triad 64";
  return analysis;
}

std::filesystem::path written(const TemporaryFolder& folder, const kernels::Analysis& analysis) {
  write_analysis(analysis, folder.path() / "analysis.json");
  return folder.path() / "analysis.json";
}

std::string refusal_of(const std::filesystem::path& file, const FeatureDefinitions& definitions,
                       const std::string& name = {}) {
  try {
    read_kernels(file, definitions, name);
  } catch (const InputError& error) {
    return std::string(error.what()) + " | " + error.hint();
  }
  return "not refused";
}

TEST(AnalysedKernel, HasTheFeaturesOfThePublishedData) {
  const FeatureDefinitions definitions = definitions_of("aiwc.csv");
  const auto kernels = read_kernels(opencl_analysis(), definitions, "product");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_TRUE(kernels[0].analysis);
  std::map<std::string, double> found;
  for (std::size_t f = 0; f < definitions.features.size(); ++f)
    found[definitions.features[f].name] = kernels[0].features[f].value();
  EXPECT_EQ(found["opcode"], 8);
  EXPECT_EQ(found["total_instruction_count"], 69376);
  EXPECT_EQ(found["granularity"], 1.0 / 69376);
  EXPECT_EQ(found["barriers_per_instruction"], 1.0 / 69376);
  EXPECT_EQ(found["operand_sum"], 69376);
  EXPECT_EQ(found["instructions_per_operand"], 1);
  EXPECT_EQ(found["workitems"], 256);
  EXPECT_EQ(found["total_memory_footprint"], 256);
  EXPECT_EQ(found["ninety_percent_memory_footprint"], 204);
  EXPECT_NEAR(found["local_memory_address_entropy_3"], 6.799, 1e-3);
  EXPECT_EQ(found["local_memory_address_entropy_10"], 0);
  EXPECT_EQ(found["branch_entropy_yokota"], 4);
}

/// Checks apmt's formulas for the derived columns of the shipped data. The authors of the data did
/// not publish theirs.
TEST(AnalysedKernel, DerivedFeaturesFollowFromTheOthersAsInThePublishedData) {
  const DataSet data = read_data_set(source_dir() + "/configs/learned/aiwc.csv");
  const auto& features = data.head.definitions.features;
  for (const KernelRun& run : data.runs) {
    std::map<std::string, double> of;
    for (std::size_t f = 0; f < features.size(); ++f) of[features[f].name] = *run.features[f];
    kernels::KernelAnalysis kernel;
    kernel.aiwc = kernels::Aiwc{};
    kernel.aiwc->work_item = "work-item";
    kernel.aiwc->is_compatible = true;
    kernel.aiwc->instructions = static_cast<std::uint64_t>(of["total_instruction_count"]);
    kernel.aiwc->barriers = static_cast<std::uint64_t>(of["total_barriers_hit"]);
    kernel.aiwc->mean_lanes = of["mean_simd_width"];
    const std::vector<std::string> derived = {"granularity", "barriers_per_instruction",
                                              "instructions_per_operand", "operand_sum"};
    FeatureDefinitions asked{.name = kAiwcName, .version = kAiwcPublished, .features = {}};
    for (const std::string& name : derived) asked.features.push_back({name, {}});
    const auto found = aiwc_features(kernel, asked, "analysis.json");
    for (std::size_t i = 0; i < derived.size(); ++i)
      EXPECT_NEAR(*found[i] / of[derived[i]], 1, 1e-5) << title_of(run) << ": " << derived[i];
  }
}

/// A kernel whose instructions have no operands has no ratio of instructions to operands.
TEST(AnalysedKernel, ARatioToNothingIsMissing) {
  kernels::KernelAnalysis kernel;
  kernel.aiwc = kernels::Aiwc{};
  kernel.aiwc->work_item = "work-item";
  kernel.aiwc->is_compatible = true;
  kernel.aiwc->instructions = 10;
  const FeatureDefinitions asked{
      .name = kAiwcName,
      .version = kAiwcPublished,
      .features = {{"instructions_per_operand", {}}, {"granularity", {}}}};
  const auto found = aiwc_features(kernel, asked, "analysis.json");
  EXPECT_FALSE(found[0]);
  EXPECT_EQ(found[1], 0.1);
}

TEST(AnalysedKernel, KernelsOfOneNameAreToldApart) {
  const FeatureDefinitions definitions = definitions_of("aiwc.csv");
  std::vector<std::string> titles;
  for (const AskedKernel& kernel : read_kernels(opencl_analysis(), definitions))
    titles.push_back(kernel.title);
  EXPECT_THAT(titles, ElementsAre("triad", "product", "triad#2"));
  EXPECT_EQ(read_kernels(opencl_analysis(), definitions, "triad#2").size(), 1u);
  EXPECT_THAT(refusal_of(opencl_analysis(), definitions, "lu"), HasSubstr("no kernel 'lu'"));
}

TEST(AnalysedKernel, OfNativeCodeIsCollectedIntoTheShippedHead) {
  const TemporaryFolder folder;
  const auto file = written(folder, native_analysis());
  DataSet data = read_data_set(source_dir() + "/configs/learned/native.csv", 0);
  EXPECT_EQ(data.head.definitions.version, kAiwcNative);
  EXPECT_THROW(read_data_set(source_dir() + "/configs/learned/native.csv"), InputError);
  collect(&data, file,
          {.application = "app", .input = "n=64", .suite = "", .times = {"cpu=1", "gpu=0.5"}});
  ASSERT_EQ(data.runs.size(), 1u);
  EXPECT_EQ(title_of(data.runs[0]), "app/triad/n=64");
  for (std::size_t f = 0; f < data.runs[0].features.size(); ++f)
    EXPECT_TRUE(data.runs[0].features[f]) << data.head.definitions.features[f].name;
  EXPECT_EQ(to_text(parse_data_set(to_text(data), "again")), to_text(data));
}

TEST(AnalysedKernel, OfSeveralTheMeasuredOneIsNamed) {
  DataSet data = read_data_set(source_dir() + "/configs/learned/aiwc.csv");
  const std::size_t before = data.runs.size();
  MeasuredKernel measured{
      .application = "suite", .input = "", .suite = "", .times = {"i7-6700k=1e-3"}};
  EXPECT_THROW(collect(&data, opencl_analysis(), measured), InputError);
  measured.kernel = "product";
  collect(&data, opencl_analysis(), measured);
  EXPECT_EQ(data.runs.size(), before + 1);
  EXPECT_EQ(title_of(data.runs.back()), "suite/product");
}

TEST(AnalysedKernel, IsRefusedInWords) {
  const TemporaryFolder folder;
  const FeatureDefinitions published = definitions_of("aiwc.csv"),
                           native = definitions_of("native.csv");
  kernels::Analysis analysis = native_analysis();
  EXPECT_THAT(refusal_of(written(folder, analysis), published),
              AllOf(HasSubstr("kernel triad"), HasSubstr("aiwc, version apmt-native-1"),
                    HasSubstr("expected aiwc, version published-2018"),
                    HasSubstr("--opencl --with aiwc-compat")));
  EXPECT_THAT(refusal_of(opencl_analysis(), native),
              AllOf(HasSubstr("version published-2018; expected aiwc, version apmt-native-1"),
                    HasSubstr("apmt analyze --with aiwc")));
  FeatureDefinitions ours = native;
  ours.features.push_back({"loads", {}});
  EXPECT_THAT(refusal_of(written(folder, analysis), ours), HasSubstr("'loads' is none of"));
  analysis.kernels[0].aiwc->is_complete = false;
  EXPECT_THAT(refusal_of(written(folder, analysis), native), HasSubstr("not complete"));
  analysis.kernels[0].aiwc->is_complete = true;
  analysis.kernels[0].aiwc->is_compatible = true;
  EXPECT_THAT(refusal_of(written(folder, analysis), published), HasSubstr("OpenCL kernels only"));
  analysis.kernels[0].aiwc.reset();
  EXPECT_THAT(refusal_of(written(folder, analysis), native),
              AllOf(HasSubstr("no AIWC metrics"), HasSubstr("apmt analyze --with aiwc")));
  EXPECT_THAT(refusal_of(written(folder, analysis), published), HasSubstr("--with aiwc-compat"));
  analysis.kernels.clear();
  EXPECT_THAT(refusal_of(written(folder, analysis), native), HasSubstr("has no kernel"));
}

}  // namespace
}  // namespace apmt::learned
