// Tests of the sentences on unit costs of communication.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/sections.h"
#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> sentences_with(double posterior) {
  Model model = example::model(64);
  for (CommModel& comm : model.comm) {
    if (!comm.law) continue;
    comm.law->families = {{.name = "hockney",
                           .prior = 1,
                           .posterior = posterior,
                           .features = {{.name = "alpha",
                                         .unit = "s/message",
                                         .of = "MPI_Isend",
                                         .counts = {},
                                         .cost = 2e-6}}}};
  }
  const OptionalSection section = communication_section(model, nullptr);
  return section ? section->sentences : std::vector<std::string>();
}

TEST(UnitCosts, AreShownIfTheyAreLikely) {
  EXPECT_THAT(sentences_with(0.9), Contains(HasSubstr("(hockney, probability 90 %): 2.00 us per "
                                                      "message (MPI_Isend).")));
  EXPECT_THAT(sentences_with(0.11), Each(Not(HasSubstr("unit costs"))));
}

}  // namespace
}  // namespace apmt
