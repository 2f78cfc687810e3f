// Tests that after a loss of power at any moment, every acknowledged run is in the store, and no
// run is in it incompletely.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/input_error.h"
#include "losing_vfs.h"
#include "service/sqlite_database.h"
#include "service/store_care.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using testing::find_run;
using testing::LosingVfs;
using testing::planted_run;
using testing::Remains;

constexpr int kRuns = 40;

std::vector<NewRun> some_runs() {
  std::vector<NewRun> runs;
  for (int i = 1; i <= kRuns; ++i) runs.push_back(planted_run(8 + i % 7, i));
  return runs;
}

/// Writes the files that are left after a loss of power into a folder of their own. Returns the
/// address of the store there.
std::string put_down(const Remains& remains, const std::filesystem::path& folder) {
  for (const auto& [path, content] : remains.files)
    std::ofstream(folder / std::filesystem::path(path).filename(), std::ios::binary) << content;
  return "sqlite:" + (folder / "store.db").string();
}

TEST(PowerLoss, LosesNoAcknowledgedRun) {
  const std::vector<NewRun> runs = some_runs();
  std::vector<Remains> all;
  {
    LosingVfs vfs(7);
    const testing::StoreInFile here;
    vfs.fail_at_writes(3);
    for (const NewRun& run : runs) {
      here.store->add_run(run);
      ++vfs.acknowledged;
      all.push_back(vfs.lose_power());
    }
    vfs.fail_at_writes(0);
    all.insert(all.end(), vfs.kept().begin(), vfs.kept().end());
  }
  EXPECT_GT(all.size(), 2u * kRuns) << "the power failed too rarely";
  for (const Remains& remains : all) {
    const TemporaryFolder folder;
    const std::string address = put_down(remains, folder.path());
    EXPECT_THAT(faults_of(address), ::testing::IsEmpty());
    const std::unique_ptr<Store> store = open_store(address);
    for (int i = 0; i < remains.acknowledged; ++i)
      ASSERT_EQ(store->profile_of(find_run(*store, runs[static_cast<std::size_t>(i)].id).number),
                runs[static_cast<std::size_t>(i)].profile)
          << "run " << i << " of " << remains.acknowledged << " acknowledged ones";
    EXPECT_LE(store->count_runs(), remains.acknowledged + 1);
  }
}

/// Shows that the test above can detect a loss: a store that does not sync loses runs.
TEST(PowerLoss, IsNoticedIfNothingIsSynced) {
  LosingVfs vfs(7);
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "store.db").string();
  SqliteDatabase connection(file, SqliteDatabase::Mode::kCreate);
  connection.run("PRAGMA journal_mode = WAL");
  connection.run("CREATE TABLE t(x TEXT); PRAGMA wal_checkpoint(TRUNCATE)");
  connection.run("PRAGMA synchronous = OFF");
  for (int i = 0; i < 20; ++i)
    connection.run("INSERT INTO t VALUES('" + std::string(900, 'x') + "')");
  const Remains remains = vfs.lose_power();
  const TemporaryFolder other;
  put_down(remains, other.path());
  SqliteDatabase reopened((other.path() / "store.db").string(), SqliteDatabase::Mode::kCreate);
  Statement count(reopened, "SELECT count(*) FROM t");
  ASSERT_TRUE(count.step());
  EXPECT_LT(count.integer(0), 20);
}

}  // namespace
}  // namespace apmt::service
