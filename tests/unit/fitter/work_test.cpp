#include "fitter/runs/work.h"

#include <gtest/gtest.h>

#include "base/input_error.h"

namespace apmt {
namespace {

TEST(Work, Arithmetic) {
  const std::map<std::string, double> sizes = {{"nx", 4}, {"ny", 3}, {"n_2", 2}};
  EXPECT_DOUBLE_EQ(WorkExpression("nx*ny*n_2").value(sizes), 24);
  EXPECT_DOUBLE_EQ(WorkExpression(" nx + ny * 2 ^ n_2 ").value(sizes), 16);
  EXPECT_DOUBLE_EQ(WorkExpression("(nx-1)*(ny-1)/n_2").value(sizes), 3);
  EXPECT_DOUBLE_EQ(WorkExpression("2^3^2").value(sizes), 512);
  EXPECT_DOUBLE_EQ(WorkExpression("1.5e3").value(sizes), 1500);
  EXPECT_DOUBLE_EQ(WorkExpression().value({}), 1);
  EXPECT_EQ(WorkExpression("ny*nx*ny").names(), (std::set<std::string>{"nx", "ny"}));
}

TEST(Work, SaysWhereItStopsMakingSense) {
  for (const char* bad : {"nx*", "nx**ny", "(nx", "nx)", "3 4", "*", "nx $ ny", ".", "1e"}) {
    try {
      WorkExpression{bad}.value({{"nx", 1}, {"ny", 1}});
      ADD_FAILURE() << "accepted: " << bad;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("character"), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(WorkExpression(std::string(100000, '(')), InputError);
  std::string powers = "n";
  for (int i = 0; i < 100000; ++i) powers += "^n";
  EXPECT_THROW(WorkExpression{powers}, InputError);
}

TEST(Work, UnknownNamesAndNonsenseValuesAreErrors) {
  EXPECT_THROW(WorkExpression("nz").value({{"nx", 1}}), InputError);
  EXPECT_THROW(WorkExpression("nx-1").value({{"nx", 1}}), InputError);
  EXPECT_THROW(WorkExpression("1/(nx-1)").value({{"nx", 1}}), InputError);
}

}  // namespace
}  // namespace apmt
