// Tests how values and factors of what-ifs are read and written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"
#include "fitter/prediction/what_if.h"

namespace apmt {
namespace {

using ::testing::HasSubstr;

TEST(ParseChange, ValuesWithUnitsAndFactors) {
  EXPECT_DOUBLE_EQ(parse_change(Knob::kLatency, "2us", "").amount, 2e-6);
  EXPECT_DOUBLE_EQ(parse_change(Knob::kLatency, "1.5 ms", "").amount, 1.5e-3);
  EXPECT_DOUBLE_EQ(parse_change(Knob::kBandwidth, "100Gbit/s", "").amount, 12.5e9);
  EXPECT_DOUBLE_EQ(parse_change(Knob::kFrequency, "2.6GHz", "").amount, 2.6e9);
  const KnobChange half = parse_change(Knob::kMemoryLatency, "x0.5", "");
  EXPECT_EQ(half.kind, KnobChange::Kind::kFactor);
  EXPECT_DOUBLE_EQ(half.amount, 0.5);
}

TEST(ParseChange, NonsenseIsRefusedWithTheOptionsName) {
  for (const char* text :
       {"", "x", "2", "us", "x0", "x-1", "-2us", "2GHz", "2us3", "nanus", "xinf"})
    EXPECT_THROW(parse_change(Knob::kLatency, text, "--latency"), InputError) << text;
  try {
    parse_change(Knob::kBandwidth, "3", "--bandwidth");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--bandwidth"));
    EXPECT_THAT(error.hint(), HasSubstr("Gbit/s"));
  }
}

TEST(FormatValue, TakesTheUnitThatFits) {
  EXPECT_EQ(format_value(Knob::kLatency, 2e-6), "2 us");
  EXPECT_EQ(format_value(Knob::kLatency, 3e-12), "0.003 ns");
  EXPECT_EQ(format_value(Knob::kBandwidth, 12.5e9), "12.5 GB/s");
  EXPECT_EQ(format_value(Knob::kFrequency, 2.6e9), "2.6 GHz");
}

}  // namespace
}  // namespace apmt
