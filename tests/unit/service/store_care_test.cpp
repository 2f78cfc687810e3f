// Tests of backups, restores, checks and exports of a store.

#include "service/store_care.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/input_error.h"
#include "fitter/runs/experiment.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::planted_run;
using testing::StoreInFile;
using testing::StoreInFolder;

TEST(StoreCareOfFiles, ABackupRestoresTheStore) {
  StoreInFile here;
  const NewRun run = planted_run(4);
  here.add(run);
  const std::string backup = (here.folder.path() / "backup.db").string();
  back_up(here.address, backup);  // while the store is open
  here.add(planted_run(8));
  here.store.reset();
  restore(here.address, backup);
  const std::unique_ptr<Store> restored = open_store(here.address);
  EXPECT_EQ(restored->count_runs(), 1);
  EXPECT_EQ(restored->profile_of(1), run.profile);
  EXPECT_THROW(back_up(here.address, backup), InputError) << "never replaces a file";
}

TEST(StoreCareOfFiles, OnlyTheOwnerReadsTheFiles) {
  const StoreInFile here;
  here.add(planted_run(4));
  back_up(here.address, (here.folder.path() / "backup.db").string());
  using std::filesystem::perms;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(here.folder.path())) {
    EXPECT_EQ(entry.status().permissions() & (perms::group_all | perms::others_all), perms::none)
        << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3) << "the store, its log and the backup";
}

TEST(StoreCareOfFiles, NobodyRestoresBelowAServer) {
  StoreInFile here;
  here.add(planted_run(4));
  const std::string backup = (here.folder.path() / "backup.db").string();
  back_up(here.address, backup);
  const std::unique_ptr<Store> server = open_store(here.address, Use::kServer);
  EXPECT_THROW(restore(here.address, backup), InputError);
}

TEST(StoreCareOfFiles, RefusesToRestoreADamagedBackup) {
  StoreInFile here;
  const NewRun run = planted_run(4);
  here.add(run);
  const std::string backup = (here.folder.path() / "backup.db").string();
  back_up(here.address, backup);
  testing::execute_in_store("sqlite:" + backup,
                            "UPDATE runs SET profile = (SELECT substr(profile, 1, 40) FROM runs)");
  here.store.reset();
  EXPECT_THROW(restore(here.address, backup), InputError);
  EXPECT_EQ(open_store(here.address)->profile_of(1), run.profile);
}

TEST(StoreCare, OneServerAtATimeUsesAStore) {
  StoreInFolder here;
  {
    const std::unique_ptr<Store> server = open_store(here.address, Use::kServer);
    EXPECT_THROW(open_store(here.address, Use::kServer), InputError);
    EXPECT_EQ(open_store(here.address)->count_runs(), 0) << "a worker may use it";
  }
  EXPECT_EQ(open_store(here.address, Use::kServer)->count_runs(), 0);
}

TEST(StoreCare, FindsARunWhoseBytesHaveChanged) {
  StoreInFolder here;
  const NewRun run = planted_run(4);
  const NewRun other = planted_run(8);
  here.add(run);
  here.add(other);
  EXPECT_THAT(faults_of(here.address), IsEmpty());
  here.execute(
      "UPDATE runs SET profile = (SELECT profile FROM runs WHERE procs = 8), profile_bytes = "
      "(SELECT profile_bytes FROM runs WHERE procs = 8) WHERE procs = 4");
  const std::vector<std::string> faults = faults_of(here.address);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0], HasSubstr(run.id));
}

TEST(StoreCare, ExportsExperimentsThatOtherVerbsRead) {
  const StoreInFolder here;
  for (const int procs : {2, 4, 8}) here.add(planted_run(procs, 1, {"../evil", "m", "v"}));
  const NewRun out = planted_run(16, 1, {"../evil", "m", "v"});
  const std::int64_t application = here.add(out);
  here.store->take_out(here.number_of(out), "test", "me");
  const std::string folder = (here.folder.path() / "exported").string();
  EXPECT_EQ(export_runs(*here.store, folder), 3);
  const Experiment experiment =
      read_experiment(folder + "/application-" + std::to_string(application));
  EXPECT_EQ(experiment.process_counts(), (std::vector<int>{2, 4, 8}));
  EXPECT_FALSE(std::filesystem::exists(here.folder.path() / "evil"));
}

}  // namespace
}  // namespace apmt::service
