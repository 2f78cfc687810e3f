// However a run ends, what was recorded until then is there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command.h"

namespace apmt::testing {
namespace {

TEST(Endings, AKilledRunIsReadableAndMarked) {
  if (!openmpi().present()) GTEST_SKIP() << "openmpi is not installed";
  Folder folder;
  // The run would take minutes; it is killed once its recordings show samples.
  const std::string program = openmpi().examples + "/halo2d 1200 100000";
  const Output output =
      folder.run("apmt record " + openmpi().run + " 2 " + program +
                 " & record=$!\n"
                 "for i in $(seq 200); do\n"
                 "  files=$(ls apmt-halo2d/running-*/rank-*.apmt 2>/dev/null)\n"
                 "  [ $(echo $files | wc -w) = 2 ] && apmt info --json apmt-halo2d/running-* "
                 "2>/dev/null | grep -q jacobi_sweep && break\n"
                 "  sleep 0.05\n"
                 "done\n"
                 "apmt info --json apmt-halo2d/running-* > live.json\n"
                 "pkill -KILL -f -x '" +
                 program +
                 "'\n"
                 "wait $record");
  EXPECT_NE(output.exit_code, 0) << "the command's failure is passed on";
  const Json live = folder.json("cat live.json");
  EXPECT_EQ(live.at("health").at("ranks_cut_off"), 2) << "still running";
  const Json profile = folder.json("apmt info --json apmt-halo2d/apmt-halo2d.p2.r1");
  EXPECT_EQ(profile.at("health").at("ranks_present"), 2);
  EXPECT_EQ(profile.at("health").at("ranks_cut_off"), 2);
  EXPECT_GE(profile.at("sampling").at("samples"), live.at("sampling").at("samples"));
  EXPECT_GT(profile.at("times").at("main_s").at(0).get<double>(), 0.0);
}

}  // namespace
}  // namespace apmt::testing
