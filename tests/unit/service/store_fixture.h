// A store in a temporary folder, and planted runs to put into it.
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

struct StoreInFolder {
  TemporaryFolder folder;
  std::string file = (folder.path() / "store.db").string();
  std::string address = "sqlite:" + file;
  std::unique_ptr<Store> store = open_store(address);

  std::int64_t add(const NewRun& run) const { return store->add_run(run).run.application; }
};

}  // namespace apmt::service::testing
