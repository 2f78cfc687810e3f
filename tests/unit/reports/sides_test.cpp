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

std::vector<std::string> cautions(const Experiment& before, const Experiment& after) {
  return apmt::cautions({before}, {after});
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

Experiment started_as(const std::vector<std::pair<int, std::string>>& commands) {
  Experiment experiment;
  for (const auto& [procs, command] : commands) {
    experiment.runs.push_back(example::run());
    experiment.runs.back().config.procs = procs;
    experiment.runs.back().command = command;
  }
  return experiment;
}

TEST(Cautions, NameOtherArguments) {
  const Experiment slow = started_as({{4, "bin/app slow in/x.nml"}, {8, "app slow x.nml"}});
  EXPECT_THAT(cautions(slow, started_as({{4, "./app2 slow other/x.nml"}})), IsEmpty())
      << "neither the program nor the folder of an input is an argument";
  EXPECT_THAT(cautions(slow, started_as({{8, "app wave x.nml"}})),
              ElementsAre("the two differ in the arguments of the program, too: 'slow x.nml' "
                          "before, 'wave x.nml' after"));
  EXPECT_THAT(cautions(slow, started_as({{8, "app"}})), ElementsAre(HasSubstr("none after")));
  EXPECT_THAT(cautions(slow, started_as({{8, ""}})), IsEmpty()) << "not known";
  const Experiment half = started_as({{4, "app /data/in/ --ratio=1/2"}});
  EXPECT_THAT(cautions(half, started_as({{4, "app in --ratio=1/2"}})), IsEmpty());
  EXPECT_THAT(cautions(half, started_as({{4, "app case2/in --ratio=1/2"}})), IsEmpty());
  EXPECT_THAT(cautions(half, started_as({{4, "app in --ratio=3/2"}})),
              ElementsAre(HasSubstr("'in --ratio=1/2' before, 'in --ratio=3/2' after")));
}

TEST(Cautions, ArgumentsMayGrowWithTheProcesses) {
  const Experiment fitted = started_as({{4, "app 400"}, {8, "app 800"}});
  EXPECT_THAT(cautions(fitted, started_as({{64, "app 6400"}})), IsEmpty());
  EXPECT_THAT(cautions(fitted, started_as({{8, "app 801"}, {64, "app 6400"}})),
              ElementsAre(HasSubstr("'800' before, '801' after")));
  const Experiment constant = started_as({{4, "app slow"}, {8, "app slow"}});
  const Experiment other = started_as({{64, "app wave"}});
  EXPECT_THAT(cautions_of_validation({constant}, {other}),
              ElementsAre("these runs and those of the model differ in the arguments of the "
                          "program: 'wave' here, 'slow' in those of the model"));
  Experiment larger = other;
  larger.runs[0].config.params["n"] = 64;
  EXPECT_THAT(cautions_of_validation({constant}, {larger}), IsEmpty()) << "of another size";
}

TEST(Cautions, NameOtherClusters) {
  const Experiment one = started_as({{4, "app"}});
  EXPECT_THAT(apmt::cautions({one, {"ethernet"}}, {one, {"infiniband"}}),
              ElementsAre(HasSubstr("clusters, too: ethernet before, infiniband after")));
  EXPECT_THAT(apmt::cautions({one, {"ethernet"}}, {one}), IsEmpty()) << "not known";
  Experiment simulated = one;
  simulated.runs[0].config.is_virtual = true;
  EXPECT_THAT(cautions(one, simulated), ElementsAre(HasSubstr("a simulated cluster after")));
}

}  // namespace
}  // namespace apmt
