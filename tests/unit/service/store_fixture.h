// Stores for tests, and runs to put into them. The variable APMT_TEST_STORE says in which kind of
// database StoreInFolder is: sqlite (default) or postgresql.
#pragma once

#include <memory>
#include <string>

#include "base/temporary_folder.h"
#include "service/digest.h"
#include "service/store.h"
#include "tests/unit/fitter/synthetic_runs.h"

namespace apmt::service::testing {

inline NewRun planted_run(const RunProfile& profile, const RunLabels& given = {}) {
  NewRun run;
  run.labels = labels_of(profile, given);
  run.profile = canonical_bytes(profile);
  run.id = sha256(run.profile);
  run.pushed_by = "tester";
  run.procs = profile.config.procs;
  run.params = profile.config.params;
  run.repetition = profile.config.repetition;
  run.started_at = profile.started_at;
  run.elapsed_s = profile.times.wall_s.max();
  return run;
}

inline NewRun planted_run(int procs, int repetition = 1, const RunLabels& given = {}) {
  return planted_run(synthetic::profile(synthetic::halo_run(procs, repetition)), given);
}

/// The address of a new and empty store. A file is in the folder.
std::string new_store_address(const TemporaryFolder& folder);

/// Executes SQL in a store, bypassing the class Store.
void execute_in_store(const std::string& address, const std::string& sql);

/// The only run of the store with this id.
inline StoredRun find_run(Store& store, const std::string& id) {
  return store.runs_with({.id = id}).at(0);
}

/// A new and empty store, and shorter names for what tests do with it.
struct NewStore {
  explicit NewStore(std::string at) : address(std::move(at)), store(open_store(address)) {}

  std::int64_t add(const NewRun& run) const { return store->add_run(run).run.application; }
  std::int64_t number_of(const NewRun& run) const { return find(run).number; }
  StoredRun find(const NewRun& run) const { return find_run(*store, run.id); }
  void execute(const std::string& sql) const { execute_in_store(address, sql); }

  std::string address;
  std::unique_ptr<Store> store;
};

struct InFolder {
  TemporaryFolder folder;
};

/// A store in the kind of database that the tests are run for.
struct StoreInFolder : InFolder, NewStore {
  StoreInFolder() : NewStore(new_store_address(folder)) {}
};

/// A store in a file, for tests of files.
struct StoreInFile : InFolder, NewStore {
  StoreInFile() : NewStore("sqlite:" + (folder.path() / "store.db").string()) {}
  std::string file = (folder.path() / "store.db").string();
};

}  // namespace apmt::service::testing
