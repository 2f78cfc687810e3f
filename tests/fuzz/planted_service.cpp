#include "tests/fuzz/planted_service.h"

#include "service/refit.h"
#include "tests/unit/service/store_fixture.h"

namespace apmt::fuzz {
namespace {

using service::NewRun;
using service::Role;
using service::Store;

const std::string kMachine = "machine";

std::int64_t add(Store& store, const std::vector<NewRun>& runs) {
  std::int64_t application = 0;
  for (const NewRun& run : runs) application = store.add_run(run).run.application;
  return application;
}

void fit(Store& store, std::int64_t application) {
  (void)service::refit(store, application, std::filesystem::path(source_dir()) / "configs");
}

std::vector<NewRun> hidden_runs() {
  const std::string marker = kMarker;
  std::vector<NewRun> runs;
  for (const int procs : {2, 4, 8}) {
    RunProfile profile = planted_profile(procs, 3);
    profile.command = "./" + marker;
    profile.hosts[0].name = marker + "-host";
    runs.push_back(planted_run(
        profile, {marker + kPlantedScript, marker + "-machine", marker + kPlantedScript}));
  }
  return runs;
}

}  // namespace

const std::vector<PlantedToken>& planted_tokens() {
  const service::Scope open({kOpenName});
  static const std::vector<PlantedToken> kTokens = {
      {"keeper", Role::kKeeper},
      {"pusher", Role::kPusher},
      {"reader", Role::kReader},
      {"keeper of one", Role::kKeeper, true, open},
      {"pusher for one", Role::kPusher, true, open},
      {"reader of one", Role::kReader, true, open},
      {"expired keeper", Role::kKeeper, false},
      {"revoked keeper", Role::kKeeper, false},
  };
  return kTokens;
}

RunProfile planted_profile(int procs, int repetition) {
  synthetic::PlantedRun run;
  run.procs = procs;
  run.repetition = repetition;
  run.params = {{"n", 1024}};
  run.kernel_s = {{"sweep", 40.0 / procs}};
  return synthetic::profile(run);
}

RunProfile rich_profile() { return synthetic::profile(synthetic::halo_run(3, 9)); }

NewRun planted_run(const RunProfile& profile, const service::RunLabels& labels) {
  NewRun run = service::testing::planted_run(profile, labels);
  run.pushed_by = planted_tokens()[1].id();
  return run;
}

std::vector<NewRun> open_runs() {
  std::vector<NewRun> runs;
  for (const auto& [version, repetition] : {std::pair{"v1", 1}, {"v2", 2}})
    for (const int procs : {2, 4, 8})
      runs.push_back(
          planted_run(planted_profile(procs, repetition), {kOpenName, kMachine, version}));
  return runs;
}

void plant(Store& store) {
  for (const PlantedToken& token : planted_tokens()) {
    service::Token stored;
    stored.id = token.id();
    stored.name = token.name;
    stored.secret_hash = service::sha256(token.secret());
    stored.role = token.role;
    stored.scope = token.scope;
    stored.made_at = service::utc_now();
    if (token.name == "expired keeper") stored.expires_at = service::utc_in_days(-1);
    store.add_token(stored, "planter");
    if (token.name == "revoked keeper") (void)store.revoke_token(stored.id, "planter");
  }
  const std::vector<NewRun> open = open_runs();
  const std::vector<NewRun> hidden = hidden_runs();
  const NewRun alone = planted_run(planted_profile(2, 4), {"alone", kMachine, "v1"});
  const NewRun waiting = planted_run(planted_profile(2, 5), {"waiting", kMachine, "v1"});
  // Adds one run of each application before all others, so that the applications get the ids 1 to
  // 5.
  (void)add(store, {open[0], open[3], hidden[0], alone, waiting});
  fit(store, add(store, {open[1]}));
  fit(store, add(store, {open[2]}));  // this run is compared with the existing model
  fit(store, add(store, {open[4], open[5]}));
  fit(store, add(store, {hidden[1]}));
  fit(store, add(store, {hidden[2]}));
  const service::StoredRun out = store.runs_with({.id = hidden[2].id}).at(0);
  (void)store.take_out(out.number, kMarker, "planter");
  fit(store, out.application);
  // This fit gives no model, and the store keeps the reason.
  fit(store, store.runs_with({.id = alone.id}).at(0).application);
}

}  // namespace apmt::fuzz
