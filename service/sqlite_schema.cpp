#include "service/sqlite_schema.h"

#include <iterator>

#include "service/schema_version.h"

namespace apmt::service {
namespace {

// SQLite keeps this number in the header of the file ("apmt" in ASCII).
constexpr std::int64_t kApplicationId = 0x61706d74;

// Step i changes a file from version i to version i + 1. A step is never changed after its release.
constexpr const char* kSteps[] = {
    R"sql(
CREATE TABLE applications(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL, machine TEXT NOT NULL, version TEXT NOT NULL,
  change INTEGER NOT NULL DEFAULT 0, fitted_change INTEGER NOT NULL DEFAULT 0,
  UNIQUE(name, machine, version));
CREATE TABLE runs(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  application INTEGER NOT NULL REFERENCES applications(id),
  procs INTEGER NOT NULL, params TEXT NOT NULL, repetition INTEGER NOT NULL,
  started_at TEXT NOT NULL, elapsed_s REAL NOT NULL,
  received_at TEXT NOT NULL, pushed_by TEXT NOT NULL,
  profile BLOB NOT NULL, profile_bytes INTEGER NOT NULL,
  is_judged INTEGER NOT NULL DEFAULT 0,
  taken_out_because TEXT, taken_out_by TEXT, taken_out_at TEXT);
CREATE INDEX runs_of_application ON runs(application, number);
CREATE TABLE models(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  application INTEGER NOT NULL REFERENCES applications(id),
  number INTEGER NOT NULL, change INTEGER NOT NULL, made_at TEXT NOT NULL,
  is_good INTEGER NOT NULL, message TEXT NOT NULL, sparkline TEXT NOT NULL,
  max_procs INTEGER NOT NULL, model BLOB, model_bytes INTEGER NOT NULL,
  report BLOB, report_bytes INTEGER NOT NULL,
  UNIQUE(application, number));
CREATE TABLE model_runs(
  model INTEGER NOT NULL REFERENCES models(id), run TEXT NOT NULL REFERENCES runs(id),
  PRIMARY KEY(model, run)) WITHOUT ROWID;
CREATE TABLE forecasts(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL UNIQUE REFERENCES runs(id),
  application INTEGER NOT NULL REFERENCES applications(id),
  model INTEGER NOT NULL REFERENCES models(id),
  made_at TEXT NOT NULL, procs INTEGER NOT NULL, params TEXT NOT NULL, factor REAL NOT NULL,
  is_repeat INTEGER NOT NULL, confidence REAL NOT NULL, elapsed_s REAL NOT NULL,
  predicted_s REAL, low_s REAL, high_s REAL, measured_s REAL,
  is_covered INTEGER NOT NULL, note TEXT NOT NULL);
CREATE INDEX forecasts_of_application ON forecasts(application, number);
CREATE TABLE tokens(
  id TEXT PRIMARY KEY, name TEXT NOT NULL, secret_hash TEXT NOT NULL, role TEXT NOT NULL,
  made_at TEXT NOT NULL, revoked_at TEXT NOT NULL DEFAULT '');
)sql",
    R"sql(
ALTER TABLE tokens ADD COLUMN expires_at TEXT NOT NULL DEFAULT '';
CREATE TABLE audit(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, subject TEXT NOT NULL,
  detail TEXT NOT NULL);
)sql",
    R"sql(
CREATE TABLE histories(
  name TEXT NOT NULL, machine TEXT NOT NULL, made_at TEXT NOT NULL,
  report BLOB NOT NULL, report_bytes INTEGER NOT NULL,
  page BLOB NOT NULL, page_bytes INTEGER NOT NULL,
  PRIMARY KEY(name, machine));
)sql",
    R"sql(
ALTER TABLE tokens ADD COLUMN applications TEXT NOT NULL DEFAULT '[]';
)sql",
    // Different applications may have runs with the same id. The profile, which is long, is the
    // last column, so that the other columns are read without it. An index contains what lists of
    // applications show.
    R"sql(
CREATE TABLE new_runs(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  application INTEGER NOT NULL REFERENCES applications(id),
  procs INTEGER NOT NULL, params TEXT NOT NULL, repetition INTEGER NOT NULL,
  started_at TEXT NOT NULL, elapsed_s REAL NOT NULL,
  received_at TEXT NOT NULL, pushed_by TEXT NOT NULL,
  is_judged INTEGER NOT NULL DEFAULT 0,
  taken_out_because TEXT, taken_out_by TEXT, taken_out_at TEXT,
  profile_bytes INTEGER NOT NULL, profile BLOB NOT NULL,
  UNIQUE(id, application));
INSERT INTO new_runs SELECT number, id, application, procs, params, repetition, started_at,
  elapsed_s, received_at, pushed_by, is_judged, taken_out_because, taken_out_by, taken_out_at,
  profile_bytes, profile FROM runs ORDER BY number;
CREATE TABLE new_model_runs(
  model INTEGER NOT NULL REFERENCES models(id), run INTEGER NOT NULL REFERENCES runs(number),
  PRIMARY KEY(model, run)) WITHOUT ROWID;
INSERT INTO new_model_runs SELECT m.model, r.number FROM model_runs m JOIN runs r ON r.id = m.run;
CREATE TABLE new_forecasts(
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL UNIQUE REFERENCES runs(number),
  application INTEGER NOT NULL REFERENCES applications(id),
  model INTEGER NOT NULL REFERENCES models(id),
  made_at TEXT NOT NULL, procs INTEGER NOT NULL, params TEXT NOT NULL, factor REAL NOT NULL,
  is_repeat INTEGER NOT NULL, confidence REAL NOT NULL, elapsed_s REAL NOT NULL,
  predicted_s REAL, low_s REAL, high_s REAL, measured_s REAL,
  is_covered INTEGER NOT NULL, note TEXT NOT NULL);
INSERT INTO new_forecasts SELECT f.number, r.number, f.application, f.model, f.made_at, f.procs,
  f.params, f.factor, f.is_repeat, f.confidence, f.elapsed_s, f.predicted_s, f.low_s, f.high_s,
  f.measured_s, f.is_covered, f.note FROM forecasts f JOIN runs r ON r.id = f.run ORDER BY f.number;
DROP TABLE forecasts;
DROP TABLE model_runs;
DROP TABLE runs;
ALTER TABLE new_runs RENAME TO runs;
ALTER TABLE new_model_runs RENAME TO model_runs;
ALTER TABLE new_forecasts RENAME TO forecasts;
CREATE INDEX runs_of_application ON runs(application, number);
CREATE INDEX states_of_runs ON runs(application, procs, taken_out_because, received_at);
CREATE INDEX forecasts_of_application ON forecasts(application, number);
)sql"};
static_assert(std::size(kSteps) == kSchemaVersion);

std::int64_t pragma(Database& database, const char* sql) {
  return Statement(database, sql).first_integer().value_or(0);
}

}  // namespace

void bring_up_to_date(SqliteDatabase& database) {
  Transaction transaction(database);  // two processes may open a new file at the same time
  const std::int64_t owner = pragma(database, "PRAGMA application_id");
  const std::int64_t version = pragma(database, "PRAGMA user_version");
  const std::int64_t tables = pragma(database, "SELECT count(*) FROM sqlite_master");
  if (owner != kApplicationId && tables > 0)
    throw InputError(database.name(), "is a database of another program");
  check_version(database.name(), version);
  if (version == kSchemaVersion) return;
  for (std::int64_t step = version; step < kSchemaVersion; ++step) database.run(kSteps[step]);
  database.run("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.run("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  transaction.commit();
}

}  // namespace apmt::service
