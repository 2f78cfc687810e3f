// The part of the store that holds runs.

#include "service/sql_store.h"

#include "base/input_error.h"
#include "service/digest.h"
#include "service/packed.h"
#include "service/sql_text.h"

namespace apmt::service {
namespace {

constexpr const char* kRunColumns =
    "number, id, application, procs, params, repetition, started_at, elapsed_s, received_at, "
    "pushed_by, is_judged, taken_out_because ";

StoredRun run_of(const Statement& row) {
  StoredRun run;
  run.number = row.integer(0);
  run.id = row.text(1);
  run.application = row.integer(2);
  run.procs = static_cast<int>(row.integer(3));
  run.params = params_from(row.text(4));
  run.repetition = static_cast<int>(row.integer(5));
  run.started_at = row.text(6);
  run.elapsed_s = row.number(7);
  run.received_at = row.text(8);
  run.pushed_by = row.text(9);
  run.is_judged = row.integer(10) != 0;
  if (!row.is_null(11)) run.taken_out_because = row.text(11);
  return run;
}

std::optional<StoredRun> first_run(Statement& found) {
  if (!found.step()) return std::nullopt;
  return run_of(found);
}

std::optional<StoredRun> find_run(Database& database, std::int64_t application,
                                  const std::string& id) {
  Statement found(database,
                  sql("SELECT ", kRunColumns, "FROM runs WHERE application = $1 AND id = $2"));
  return first_run(found.bind(application, id));
}

/// Counts a change of the application with these labels, and returns the application's id. If there
/// is no such application, creates it. The row of the application stays locked until the end of the
/// transaction, so its runs are numbered in the order of its changes.
std::int64_t changed_application(Database& database, const RunLabels& labels) {
  const auto change = [&] {
    return Statement(database,
                     "UPDATE applications SET change = change + 1 WHERE name = $1 "
                     "AND machine = $2 AND version = $3 RETURNING id")
        .bind(labels.name, labels.machine, labels.version)
        .first_integer();
  };
  if (const std::optional<std::int64_t> id = change()) return *id;
  // An insertion is tried only now: in PostgreSQL it uses up an id even if the row exists.
  Statement(database,
            "INSERT INTO applications(name, machine, version) VALUES($1, $2, $3) "
            "ON CONFLICT DO NOTHING")
      .bind(labels.name, labels.machine, labels.version)
      .run();
  return change().value();
}

std::string of_application(std::int64_t application, const std::string& detail) {
  return "application " + std::to_string(application) + ": " + detail;
}

}  // namespace

SqlStore::SqlStore(Connect connect)
    : connected_(connect(Access::kWrite)), writer_(*connected_), readers_(std::move(connect)) {}

void SqlStore::note(const std::string& who, const char* what, const std::string& subject,
                    const std::string& detail) {
  Statement(writer_, "INSERT INTO audit(at, who, what, subject, detail) VALUES($1, $2, $3, $4, $5)")
      .bind(utc_now(), who, what, subject, detail)
      .run();
}

AddedRun SqlStore::add_run(const NewRun& run) {
  const std::string packed = pack(run.profile);
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  const std::int64_t id = changed_application(writer_, run.labels);
  // Returns without a commit if the run exists, so that the change is not counted.
  if (const std::optional<StoredRun> there = find_run(writer_, id, run.id)) return {*there, false};
  Statement(writer_,
            "INSERT INTO runs(id, application, procs, params, repetition, started_at, elapsed_s, "
            "received_at, pushed_by, profile, profile_bytes) "
            "VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)")
      .bind(run.id, id, run.procs, params_text(run.params), run.repetition, run.started_at,
            run.elapsed_s, utc_now(), run.pushed_by, as_bytes(packed),
            static_cast<std::int64_t>(run.profile.size()))
      .run();
  note(run.pushed_by, "push", run.id, of_application(id, run.labels.name));
  const std::optional<StoredRun> added = find_run(writer_, id, run.id);
  transaction.commit();
  return {*added, true};
}

std::optional<StoredRun> SqlStore::run(std::int64_t number) {
  const Readers::Lease reader = readers_.take();
  Statement found(reader, sql("SELECT ", kRunColumns, "FROM runs WHERE number = $1"));
  return first_run(found.bind(number));
}

std::vector<StoredRun> SqlStore::runs_with(const RunFilter& filter) {
  const RunLabels& labels = filter.labels;
  const Readers::Lease reader = readers_.take();
  Statement rows(reader, sql("SELECT ", kRunColumns,
                             "FROM runs WHERE id = $1 AND ($2 = 0 OR application = $2) "
                             "AND application IN (SELECT id FROM applications WHERE "
                             "($3 = '' OR name = $3) AND ($4 = '' OR machine = $4) "
                             "AND ($5 = '' OR version = $5) " +
                                 and_in(filter.scope, 6) + ") ORDER BY number LIMIT 10"));
  rows.bind(filter.id, filter.application.value_or(0), labels.name, labels.machine, labels.version);
  for (const std::string& name : filter.scope.names()) rows.bind(name);
  std::vector<StoredRun> runs;
  while (rows.step()) runs.push_back(run_of(rows));
  return runs;
}

std::vector<StoredRun> SqlStore::runs_of(std::int64_t application, std::int64_t after, int most) {
  const Readers::Lease reader = readers_.take();
  Statement rows(reader,
                 sql("SELECT ", kRunColumns,
                     "FROM runs WHERE application = $1 AND number > $2 ORDER BY number LIMIT $3"));
  rows.bind(application, after, most);
  std::vector<StoredRun> runs;
  while (rows.step()) runs.push_back(run_of(rows));
  return runs;
}

std::int64_t SqlStore::count_runs() {
  const Readers::Lease reader = readers_.take();
  return Statement(reader, "SELECT count(*) FROM runs").first_integer().value_or(0);
}

std::string SqlStore::profile_of(std::int64_t run) {
  std::string id;
  std::string packed;
  std::size_t bytes = 0;
  {
    const Readers::Lease reader = readers_.take();
    Statement found(reader, "SELECT profile, profile_bytes, id FROM runs WHERE number = $1");
    found.bind(run);
    if (!found.step()) throw InputError("run " + std::to_string(run), "is not in this store");
    packed = found.bytes(0);
    bytes = static_cast<std::size_t>(found.integer(1));
    id = found.text(2);
  }
  std::string text = unpack(packed, bytes, "run " + id);
  if (sha256(text) != id)
    throw InputError("run " + id, "is damaged in the store", "restore a backup", ExitCode::kFailed);
  return text;
}

bool SqlStore::take_out(std::int64_t run, const std::string& reason, const std::string& who) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  Statement taken(writer_,
                  "UPDATE runs SET taken_out_because = $1, taken_out_by = $2, taken_out_at = $3 "
                  "WHERE number = $4 AND taken_out_because IS NULL RETURNING application, id");
  taken.bind(reason, who, utc_now(), run);
  if (!taken.step()) return false;
  const std::int64_t application = taken.integer(0);
  const std::string id = taken.text(1);
  (void)taken.step();  // SQLite cannot commit before the end of the rows
  Statement(writer_, "UPDATE applications SET change = change + 1 WHERE id = $1")
      .bind(application)
      .run();
  note(who, "take out", id, of_application(application, reason));
  transaction.commit();
  return true;
}

}  // namespace apmt::service
