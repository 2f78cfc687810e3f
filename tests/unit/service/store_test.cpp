// Tests of the store: runs, applications, models, forecasts, tokens, audit log, files of older
// versions.

#include "service/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "service/schema_version.h"
#include "service/sqlite_database.h"
#include "service/store_care.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using ::testing::ElementsAre;
using testing::execute_in_store;
using ::testing::HasSubstr;
using testing::planted_run;
using testing::StoreInFolder;

TEST(Store, KeepsARunAndItsBytes) {
  const StoreInFolder here;
  const NewRun run = planted_run(4);
  const AddedRun added = here.store->add_run(run);
  EXPECT_TRUE(added.is_new);
  EXPECT_EQ(added.run.id, run.id);
  EXPECT_EQ(here.store->profile_of(here.number_of(run)), run.profile);
  const std::optional<StoredRun> found = here.store->run(added.run.number);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->procs, 4);
  EXPECT_EQ(found->params, run.params);
  EXPECT_EQ(found->pushed_by, "tester");
  EXPECT_DOUBLE_EQ(found->elapsed_s, run.elapsed_s);
  EXPECT_FALSE(found->is_judged);
  EXPECT_FALSE(found->taken_out_because);
}

TEST(Store, AddsARunOnlyOnce) {
  const StoreInFolder here;
  const std::int64_t application = here.add(planted_run(4));
  EXPECT_FALSE(here.store->add_run(planted_run(4)).is_new);
  EXPECT_EQ(here.store->runs_of(application, 0, 10).size(), 1u);
  EXPECT_EQ(here.store->application(application)->change, 1);
  EXPECT_EQ(here.store->count_runs(), 1);
}

TEST(Store, OfManyApplicationsTheOldestOrTheNewestAreListed) {
  StoreInFolder here;
  for (const char* version : {"v1", "v2", "v3"}) here.add(planted_run(4, 1, {"", "", version}));
  const auto versions = [&](bool newest) {
    std::string list;
    for (const ApplicationState& state : here.store->applications({.most = 2, .newest = newest}))
      list += state.application.labels.version;
    return list;
  };
  EXPECT_EQ(versions(false), "v1v2");
  EXPECT_EQ(versions(true), "v2v3");
}

TEST(Store, TellsApplicationsApartByNameMachineAndVersion) {
  const StoreInFolder here;
  const std::int64_t first = here.add(planted_run(2, 1, {"app", "m", "v1"}));
  EXPECT_EQ(here.add(planted_run(4, 1, {"app", "m", "v1"})), first);
  EXPECT_NE(here.add(planted_run(8, 1, {"app", "m", "v2"})), first);
  EXPECT_NE(here.add(planted_run(16, 1, {"app", "n", "v1"})), first);
  EXPECT_NE(here.add(planted_run(32, 1, {"other", "m", "v1"})), first);
  EXPECT_EQ(here.store->applications({}).size(), 4u);
  EXPECT_EQ(here.store->applications({.name = "app"}).size(), 3u);
  EXPECT_EQ(here.store->applications({.name = "app", .version = "v2"}).size(), 1u);
  EXPECT_EQ(here.store->applications({.machine = "n"}).size(), 1u);
  EXPECT_EQ(here.store->applications({.after = first, .most = 2}).size(), 2u);
  EXPECT_THAT(here.store->application(first)->procs, ElementsAre(2, 4));
}

TEST(Store, EachApplicationMayHaveTheSameRun) {
  const StoreInFolder here;
  const std::int64_t first = here.add(planted_run(4, 1, {"a", "m", "v"}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(here.add(planted_run(4, 1, {"a", "m", "v"})), first);
  const AddedRun added = here.store->add_run(planted_run(4, 1, {"b", "m", "v"}));
  EXPECT_TRUE(added.is_new);
  EXPECT_FALSE(here.store->add_run(planted_run(4, 1, {"b", "m", "v"})).is_new);
  const std::int64_t second = added.run.application;
  EXPECT_EQ(second, first + 1) << "pushes take no ids of applications";
  const std::string id = added.run.id;
  EXPECT_EQ(here.store->runs_with({.id = id}).size(), 2u);
  EXPECT_EQ(here.store->runs_with({.id = id, .labels = {"a", "", ""}})[0].application, first);
  EXPECT_EQ(here.store->runs_with({.id = id, .application = second})[0].number, added.run.number);
  EXPECT_EQ(here.store->runs_with({.id = id, .scope = Scope({"b", "c"})})[0].application, second);
  EXPECT_TRUE(here.store->runs_with({.id = id, .scope = Scope({"c"})}).empty());
  here.store->take_out(added.run.number, "only here", "me");
  here.store->judge(added.run.number, std::nullopt);
  const StoredRun other = here.store->runs_with({.id = id, .application = first}).at(0);
  EXPECT_FALSE(other.taken_out_because);
  EXPECT_FALSE(other.is_judged);
  EXPECT_EQ(here.store->application(first)->change, 1);
}

TEST(Store, TheTrackRecordIsThatOfAllForecasts) {
  const StoreInFolder here;
  std::int64_t application = 0;
  int number = 0;
  for (const char* name : {"a", "b"}) {
    std::vector<Forecast> expected;
    for (int i = 0; i < 30; ++i) {
      const NewRun run = planted_run(1 + i, ++number, {name, "m", "v"});
      application = here.add(run);
      Forecast f;
      f.application = application;
      f.model = i == 0 ? here.store->add_model({application, 1, true, "", "", 4, "m", "r", {}}).id
                       : expected[0].model;
      f.factor = 0.7 * i;
      f.is_repeat = i % 5 == 0;
      f.is_covered = i % 3 != 0;
      f.confidence = i % 2 == 0 ? 0.8 : 0.9;
      if (i != 7) f.predicted_s = 1 + 0.037 * i;
      if (i != 8) f.measured_s = i == 9 ? 0.0 : 1.3;
      here.store->judge(here.number_of(run), f);
      expected.push_back(f);
    }
    for (const ForecastFilter& filter :
         {ForecastFilter{application, 3}, ForecastFilter{.scope = Scope({name, "z"})}})
      EXPECT_EQ(to_json(here.store->track_record(filter)).dump(),
                to_json(track_record(expected)).dump());
    EXPECT_EQ(here.store->count_forecasts(application), 30);
  }
  EXPECT_EQ(here.store->track_record({}).unmeasured, 6);
  EXPECT_EQ(here.store->forecasts({.most = 7}).size(), 7u);
  EXPECT_TRUE(here.store->track_record({.scope = Scope({"c"})}).groups.empty());
}

TEST(Store, StatementsOfSqlInNamesAreOnlyNames) {
  const StoreInFolder here;
  const std::string name = "a'); DROP TABLE runs; --";
  here.add(planted_run(2, 1, {name, "\" OR 1=1", "v%_"}));
  ASSERT_EQ(here.store->applications({.name = name}).size(), 1u);
  EXPECT_EQ(here.store->applications({.name = "' OR '1'='1"}).size(), 0u);
  EXPECT_EQ(here.store->applications({})[0].application.labels.machine, "\" OR 1=1");
  EXPECT_EQ(here.store->count_runs(), 1);
}

TEST(Store, TakesARunOutOnceWithItsReason) {
  const StoreInFolder here;
  const NewRun run = planted_run(4);
  const std::int64_t application = here.add(run);
  here.add(planted_run(8));
  EXPECT_TRUE(here.store->take_out(here.number_of(run), "disturbed", "k"));
  EXPECT_FALSE(here.store->take_out(here.number_of(run), "again", "k"));
  EXPECT_FALSE(here.store->take_out(99, "no such run", "k"));
  EXPECT_EQ(here.find(run).taken_out_because, "disturbed");
  const ApplicationState state = *here.store->application(application);
  EXPECT_EQ(state.runs, 1);
  EXPECT_EQ(state.taken_out, 1);
  EXPECT_EQ(state.change, 3);
  EXPECT_THAT(state.procs, ElementsAre(8));
  EXPECT_FALSE(here.store->add_run(run).is_new) << "it stays out when it is pushed again";
  EXPECT_TRUE(here.find(run).taken_out_because);
}

TEST(Store, CountsModelsAndServesTheNewestGoodOne) {
  const StoreInFolder here;
  const NewRun run = planted_run(4);
  const std::int64_t application = here.add(run);
  EXPECT_THAT(here.store->pending(), ElementsAre(application));
  NewModel good{application,          1, true, "", "{}", 4, "the model", "the report",
                {here.number_of(run)}};
  const ModelInfo first = here.store->add_model(good);
  EXPECT_THAT(here.store->pending(), ::testing::IsEmpty());
  NewModel bad;
  bad.application = application;
  bad.change = 1;
  bad.message = "too few runs";
  const ModelInfo second = here.store->add_model(bad);
  EXPECT_EQ(second.number, 2);
  const ApplicationState state = *here.store->application(application);
  EXPECT_EQ(state.newest->id, second.id);
  EXPECT_EQ(state.newest_good->id, first.id);
  EXPECT_EQ(here.store->model_text(first.id), "the model");
  EXPECT_EQ(here.store->report_page(first.id), "the report");
  EXPECT_THAT(here.store->runs_of_model(first.id), ElementsAre(here.number_of(run)));
  EXPECT_THROW(here.store->model_text(second.id), InputError);
  EXPECT_EQ(here.store->models_of(application, 10).size(), 2u);
}

TEST(Store, KeepsOneForecastForARun) {
  const StoreInFolder here;
  const NewRun run = planted_run(4);
  const std::int64_t application = here.add(run);
  const ModelInfo model = here.store->add_model({application, 1, true, "", "{}", 4, "m", "r", {}});
  Forecast forecast;
  forecast.application = application;
  forecast.model = model.id;
  forecast.procs = 4;
  forecast.predicted_s = 2.5;
  forecast.measured_s = 2;
  here.store->judge(here.number_of(run), forecast);
  forecast.predicted_s = 7;
  here.store->judge(here.number_of(run), forecast);
  const std::vector<Forecast> all = here.store->forecasts({});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].predicted_s, 2.5);
  EXPECT_EQ(all[0].low_s, std::nullopt);
  EXPECT_TRUE(here.find(run).is_judged);
  EXPECT_TRUE(here.store->forecasts({application + 1}).empty());
}

TEST(Store, ForgetsOldModelsButNotThatTheyExisted) {
  const StoreInFolder here;
  const NewRun run = planted_run(4);
  const std::int64_t application = here.add(run);
  const std::int64_t other = here.add(planted_run(8, 1, {"other", "m", "v"}));
  NewModel good{application,          1, true, "", "{}", 4, "the model", "the report",
                {here.number_of(run)}};
  NewModel bad;
  bad.application = application;
  bad.change = 1;
  bad.message = "too few runs";
  std::vector<std::int64_t> ids;
  for (const NewModel* each : {&good, &good, &bad, &good, &bad})
    ids.push_back(here.store->add_model(*each).id);
  good.application = other;
  const std::int64_t of_other = here.store->add_model(good).id;

  EXPECT_EQ(here.store->forget_models(application, {.models = 3}), 0) << "three good ones";
  EXPECT_EQ(here.store->forget_models(application, {.models = 2}), 1);
  EXPECT_EQ(here.store->forget_models(application, {.models = 2}), 0) << "it is gone already";
  EXPECT_EQ(here.store->forget_models(application, {.models = 0}), 0) << "two are always kept";
  EXPECT_THROW(here.store->model_text(ids[0]), InputError);
  EXPECT_THROW(here.store->report_page(ids[0]), InputError);
  EXPECT_EQ(here.store->model_text(ids[1]), "the model");
  EXPECT_EQ(here.store->report_page(ids[3]), "the report");
  EXPECT_EQ(here.store->model_text(of_other), "the model");
  EXPECT_EQ(here.store->models_of(application, 10).size(), 5u);
  EXPECT_TRUE(here.store->model(ids[0])->is_good);
  EXPECT_THAT(here.store->runs_of_model(ids[0]), ElementsAre(here.number_of(run)));
  EXPECT_EQ(here.store->application(application)->newest_good->id, ids[3]);
  EXPECT_THAT(faults_of(here.address), ::testing::IsEmpty());
}

TEST(Store, ForgetsOldEntriesOfTheAuditLogAndLogsThat) {
  const StoreInFolder here;
  here.add(planted_run(4));
  here.execute(
      "INSERT INTO audit(at, who, what, subject, detail) "
      "VALUES('2020-01-01T00:00:00Z', 'me', 'push', 'old', ''), "
      "('" +
      utc_in_days(-29) + "', 'me', 'push', 'recent', '')");
  EXPECT_EQ(here.store->forget_audit({.audit_days = 0}, "me"), 0);
  EXPECT_EQ(here.store->forget_audit({.audit_days = 30}, "me"), 1);
  EXPECT_EQ(here.store->forget_audit({.audit_days = 30}, "me"), 0);
  const std::vector<AuditEntry> left = here.store->audit(10);
  ASSERT_EQ(left.size(), 3u);
  EXPECT_EQ(left[0].what, "forget");
  EXPECT_THAT(left[0].detail, ::testing::StartsWith("1 entries before "));
  EXPECT_EQ(left[1].subject, "recent");
}

TEST(Store, KeepsTheNewestHistoryOfAProgramOnAMachine) {
  const StoreInFolder here;
  EXPECT_FALSE(here.store->history("a", "m"));
  here.store->set_history("a", "m", {"", "first", "page"});
  here.store->set_history("a", "m", {"", "second", "page 2"});
  EXPECT_EQ(here.store->history("a", "m")->report, "second");
  EXPECT_EQ(here.store->history("a", "m")->page, "page 2");
  EXPECT_FALSE(here.store->history("a", "other"));
}

TEST(Store, WritesAnAuditLog) {
  const StoreInFolder here;
  const NewRun run = planted_run(4);
  here.add(run);
  here.store->add_token({"id", "ci", "hash", Role::kPusher, "2026-01-01T00:00:00Z", "", ""}, "me");
  here.store->take_out(here.number_of(run), "wrong input", "id");
  here.store->revoke_token("id", "me");
  std::vector<std::string> what;
  for (const AuditEntry& entry : here.store->audit(10)) what.push_back(entry.what);
  EXPECT_THAT(what, ElementsAre("token revoke", "take out", "token add", "push"));
  EXPECT_EQ(here.store->audit(10)[1].detail, "application 1: wrong input");
}

TEST(Store, IsStillThereWhenItIsOpenedAgain) {
  StoreInFolder here;
  const NewRun run = planted_run(4);
  here.add(run);
  here.store.reset();
  EXPECT_EQ(open_store(here.address)->profile_of(1), run.profile);
}

TEST(Store, TwoProcessesMayUseIt) {
  const StoreInFolder here;
  const std::unique_ptr<Store> other = open_store(here.address);
  here.add(planted_run(4));
  EXPECT_EQ(other->count_runs(), 1);
  other->add_run(planted_run(8));
  EXPECT_EQ(here.store->count_runs(), 2);
}

/// Makes a store by executing the SQL of a file of an older version.
std::string older_store(const TemporaryFolder& folder, const std::string& dump) {
  const std::string file = (folder.path() / "old.db").string();
  SqliteDatabase connection(file, SqliteDatabase::Mode::kCreate);
  connection.run(read_whole_file(source_dir() + "/tests/unit/service/" + dump));
  return file;
}

TEST(StoreMigration, AFileOfVersion1HasAllItsDataAfterwards) {
  const TemporaryFolder folder;
  const std::string file = older_store(folder, "store_version_1.sql");
  const std::unique_ptr<Store> store = open_store("sqlite:" + file);
  ASSERT_EQ(store->applications({}).size(), 2u);
  const ApplicationState state = store->applications({})[0];
  EXPECT_EQ(state.application.labels.name, "halo2d");
  EXPECT_EQ(state.runs, 1);
  EXPECT_EQ(state.taken_out, 1);
  EXPECT_EQ(state.newest_good->number, 1);
  EXPECT_EQ(store->model_text(state.newest_good->id), "a model");
  for (const StoredRun& run : store->runs_of(state.application.id, 0, 10))
    EXPECT_EQ(store->profile_of(run.number).size(), run.procs == 2 ? 17u : 18u);
  ASSERT_EQ(store->forecasts({}).size(), 1u);
  EXPECT_EQ(store->forecasts({})[0].predicted_s, 1.25);
  ASSERT_EQ(store->tokens().size(), 1u);
  EXPECT_EQ(store->tokens()[0].role, Role::kKeeper);
  EXPECT_EQ(store->tokens()[0].expires_at, "");
  store->add_run(planted_run(4));
  EXPECT_EQ(store->audit(10).size(), 1u);
  SqliteDatabase connection(file, SqliteDatabase::Mode::kReadOnly);
  Statement version(connection, "PRAGMA user_version");
  ASSERT_TRUE(version.step());
  EXPECT_EQ(version.integer(0), kSchemaVersion);
}

TEST(StoreMigration, AFileOfVersion2HasAllItsDataAfterwards) {
  const TemporaryFolder folder;
  const std::string file = older_store(folder, "store_version_2.sql");
  const std::unique_ptr<Store> store = open_store("sqlite:" + file);
  EXPECT_EQ(store->applications({}).size(), 2u);
  ASSERT_EQ(store->audit(10).size(), 1u);
  EXPECT_EQ(store->audit(10)[0].what, "token add");
  ASSERT_EQ(store->tokens().size(), 1u);
  EXPECT_EQ(store->tokens()[0].expires_at, "2030-01-01T00:00:00Z");
  EXPECT_FALSE(store->history("halo2d", "node"));
  store->set_history("halo2d", "node", {"", "{}", "a page"});
  EXPECT_EQ(store->history("halo2d", "node")->page, "a page");
}

TEST(StoreMigration, TokensOfVersion3AreForAllApplications) {
  const TemporaryFolder folder;
  const std::string file = older_store(folder, "store_version_3.sql");
  const std::unique_ptr<Store> store = open_store("sqlite:" + file);
  EXPECT_TRUE(store->token("0123456789abcdef")->scope.is_all());
  EXPECT_EQ(store->history("halo2d", "node")->report, "a model");
  EXPECT_EQ(store->applications({}).size(), 2u);
  EXPECT_EQ(store->forecasts({}).size(), 1u);
  EXPECT_THAT(faults_of("sqlite:" + file), ::testing::IsEmpty());
}

TEST(StoreMigration, RunsOfVersion4KeepTheirNumbersModelsAndForecasts) {
  const TemporaryFolder folder;
  const std::string file = older_store(folder, "store_version_4.sql");
  const std::unique_ptr<Store> store = open_store("sqlite:" + file);
  const std::vector<StoredRun> runs = store->runs_of(1, 0, 10);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].number, 1);
  EXPECT_EQ(runs[0].taken_out_because, "disturbed");
  EXPECT_EQ(runs[1].number, 2);
  EXPECT_EQ(runs[1].pushed_by, "pusher");
  EXPECT_TRUE(runs[1].is_judged);
  EXPECT_THAT(store->runs_of_model(1), ElementsAre(1));
  ASSERT_EQ(store->forecasts({}).size(), 1u);
  EXPECT_EQ(store->forecasts({})[0].run, runs[1].id);
  EXPECT_EQ(store->forecasts({})[0].measured_s, 1.375);
  EXPECT_THAT(store->token("0123456789abcdef")->scope.names(), ElementsAre("halo2d"));
  // Another application may now have the same run, which gets a further number there.
  NewRun same = planted_run(4, 1, {"other", "m", "v"});
  same.id = runs[1].id;
  EXPECT_EQ(store->add_run(same).run.number, 3);
  EXPECT_EQ(store->runs_with({.id = same.id}).size(), 2u);
  execute_in_store("sqlite:" + file, "DELETE FROM runs WHERE number = 3");
  EXPECT_THAT(faults_of("sqlite:" + file), ::testing::IsEmpty());
}

TEST(StoreMigration, RefusesAFileOfANewerVersion) {
  testing::StoreInFile here;
  here.store.reset();
  SqliteDatabase(here.file, SqliteDatabase::Mode::kCreate).run("PRAGMA user_version = 99");
  try {
    open_store(here.address);
    FAIL() << "was opened";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("newer version of apmt (schema 99"));
  }
}

TEST(StoreMigration, RefusesADatabaseOfAnotherProgram) {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "other.db").string();
  SqliteDatabase(file, SqliteDatabase::Mode::kCreate).run("CREATE TABLE cats(name TEXT)");
  EXPECT_THROW(open_store("sqlite:" + file), InputError);
  write_file_atomically(file + "2", "this is no database, but a text that is long enough");
  EXPECT_THROW(open_store("sqlite:" + file + "2"), InputError);
}

}  // namespace
}  // namespace apmt::service
