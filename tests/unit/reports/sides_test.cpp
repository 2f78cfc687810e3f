#include "reports/sides.h"

#include <gmock/gmock.h>

#include "tests/unit/reports/examples.h"

namespace apmt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Experiment made_with(const std::string& mpi) {
  Experiment experiment;
  experiment.runs = {example::run()};
  experiment.runs[0].mpi_library = mpi;
  return experiment;
}

TEST(Cautions, SayWhatElseIsDifferentAndWhatIsWrongWithEither) {
  const Experiment before = made_with("Open MPI 4.1");
  EXPECT_THAT(cautions(before, before), IsEmpty());
  EXPECT_THAT(cautions(before, made_with("")), IsEmpty()) << "an unknown value is not a difference";
  Experiment after = made_with("MPICH 4.0");
  after.warnings = {"more ranks than CPUs at P = 4"};
  EXPECT_THAT(cautions(before, after),
              ElementsAre("the two differ in their MPI, too: Open MPI 4.1 before, MPICH 4.0 after",
                          "after: more ranks than CPUs at P = 4"));
  after = made_with("Open MPI 4.1");
  after.runs[0].hosts[0].cpu_model = "another processor";
  after.runs[0].config.threads_per_rank = 64;
  EXPECT_THAT(cautions(before, after), ElementsAre(HasSubstr("their processors, too: "),
                                                   HasSubstr("their threads per rank, too: ")));
}

}  // namespace
}  // namespace apmt
