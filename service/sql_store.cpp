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

std::optional<StoredRun> find_run(Database& database, const std::string& id) {
  Statement found(database, sql("SELECT ", kRunColumns, "FROM runs WHERE id = $1"));
  found.bind(id);
  if (!found.step()) return std::nullopt;
  return run_of(found);
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
  if (const std::optional<StoredRun> there = find_run(writer_, run.id)) return {*there, false};
  const RunLabels& labels = run.labels;
  Statement(writer_,
            "INSERT INTO applications(name, machine, version) VALUES($1, $2, $3) "
            "ON CONFLICT DO NOTHING")
      .bind(labels.name, labels.machine, labels.version)
      .run();
  // From here on the row of the application is locked, so its runs and changes have one order.
  const std::int64_t id = Statement(writer_,
                                    "UPDATE applications SET change = change + 1 WHERE name = $1 "
                                    "AND machine = $2 AND version = $3 RETURNING id")
                              .bind(labels.name, labels.machine, labels.version)
                              .first_integer()
                              .value();
  Statement(writer_,
            "INSERT INTO runs(id, application, procs, params, repetition, started_at, elapsed_s, "
            "received_at, pushed_by, profile, profile_bytes) "
            "VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)")
      .bind(run.id, id, run.procs, params_text(run.params), run.repetition, run.started_at,
            run.elapsed_s, utc_now(), run.pushed_by, as_bytes(packed),
            static_cast<std::int64_t>(run.profile.size()))
      .run();
  note(run.pushed_by, "push", run.id, labels.name);
  const std::optional<StoredRun> added = find_run(writer_, run.id);
  transaction.commit();
  return {*added, true};
}

std::optional<StoredRun> SqlStore::run(const std::string& id) {
  const Readers::Lease reader = readers_.take();
  return find_run(reader, id);
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

std::string SqlStore::profile_of(const std::string& run) {
  std::string packed;
  std::size_t bytes = 0;
  {
    const Readers::Lease reader = readers_.take();
    Statement found(reader, "SELECT profile, profile_bytes FROM runs WHERE id = $1");
    found.bind(run);
    if (!found.step()) throw InputError(run, "is no run of this store");
    packed = found.bytes(0);
    bytes = static_cast<std::size_t>(found.integer(1));
  }
  std::string text = unpack(packed, bytes, "run " + run);
  if (sha256(text) != run)
    throw InputError("run " + run, "is damaged in the store", "restore a backup",
                     ExitCode::kFailed);
  return text;
}

bool SqlStore::take_out(const std::string& run, const std::string& reason, const std::string& who) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  const std::int64_t changed =
      Statement(writer_,
                "UPDATE runs SET taken_out_because = $1, taken_out_by = $2, taken_out_at = $3 "
                "WHERE id = $4 AND taken_out_because IS NULL")
          .bind(reason, who, utc_now(), run)
          .run();
  if (changed == 0) return false;
  Statement(writer_,
            "UPDATE applications SET change = change + 1 "
            "WHERE id = (SELECT application FROM runs WHERE id = $1)")
      .bind(run)
      .run();
  note(who, "take out", run, reason);
  transaction.commit();
  return true;
}

}  // namespace apmt::service
