#include "service/sqlite_store.h"

#include "base/checked_json.h"
#include "base/input_error.h"
#include "service/digest.h"
#include "service/packed.h"
#include "service/sqlite_schema.h"

namespace apmt::service {
namespace {

constexpr const char* kRunColumns =
    "number, id, application, procs, params, repetition, started_at, elapsed_s, received_at, "
    "pushed_by, is_judged, taken_out_because ";
constexpr const char* kModelColumns =
    "id, application, number, made_at, is_good, message, sparkline, max_procs, change ";

std::string params_text(const std::map<std::string, double>& params) { return Json(params).dump(); }

std::map<std::string, double> params_from(const std::string& text) {
  return parse_json(text, "params").get<std::map<std::string, double>>();
}

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

ModelInfo model_of(const Statement& row) {
  ModelInfo model;
  model.id = row.integer(0);
  model.application = row.integer(1);
  model.number = static_cast<int>(row.integer(2));
  model.made_at = row.text(3);
  model.is_good = row.integer(4) != 0;
  model.message = row.text(5);
  model.sparkline = row.text(6);
  model.max_procs = static_cast<int>(row.integer(7));
  model.change = row.integer(8);
  return model;
}

std::string sql(const char* before, const char* columns, const char* after) {
  return std::string(before) + columns + after;
}

/// Creates the file or brings it up to date, then returns its name.
std::string ready(const std::string& file) {
  create_private(file);  // it holds names of hosts, command lines and hashes of secrets
  Connection connection(file, Connection::Mode::kCreate);
  connection.run("PRAGMA journal_mode = WAL");
  bring_up_to_date(connection);
  return file;
}

constexpr const char* kWriterSettings =
    "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF";

}  // namespace

SqliteStore::SqliteStore(const std::string& file)
    : writer_(ready(file), Connection::Mode::kCreate), reader_(file, Connection::Mode::kCreate) {
  writer_.run(kWriterSettings);
  reader_.run("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF");
}

void SqliteStore::note(const std::string& who, const char* what, const std::string& subject,
                       const std::string& detail) {
  Statement(writer_, "INSERT INTO audit(at, who, what, subject, detail) VALUES(?, ?, ?, ?, ?)")
      .bind(utc_now(), who, what, subject, detail)
      .run();
}

// ---- Runs ---------------------------------------------------------------------------------------

std::optional<StoredRun> SqliteStore::find_run(Connection& connection, const std::string& id) {
  static const std::string kSql = sql("SELECT ", kRunColumns, "FROM runs WHERE id = ?");
  Statement found(connection, kSql.c_str());
  found.bind(id);
  if (!found.step()) return std::nullopt;
  return run_of(found);
}

AddedRun SqliteStore::add_run(const NewRun& run) {
  const std::string packed = pack(run.profile);
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  if (const std::optional<StoredRun> there = find_run(writer_, run.id)) return {*there, false};
  const RunLabels& labels = run.labels;
  Statement(writer_,
            "INSERT INTO applications(name, machine, version) VALUES(?, ?, ?) "
            "ON CONFLICT DO NOTHING")
      .bind(labels.name, labels.machine, labels.version)
      .run();
  Statement application(
      writer_,
      "UPDATE applications SET change = change + 1 WHERE name = ? AND machine = ? AND version = ? "
      "RETURNING id");
  application.bind(labels.name, labels.machine, labels.version);
  if (!application.step()) writer_.fail();
  const std::int64_t id = application.integer(0);
  (void)application.step();
  Statement(writer_,
            "INSERT INTO runs(id, application, procs, params, repetition, started_at, elapsed_s, "
            "received_at, pushed_by, profile, profile_bytes) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      .bind(run.id, id, run.procs, params_text(run.params), run.repetition, run.started_at,
            run.elapsed_s, utc_now(), run.pushed_by, Statement::blob(packed),
            static_cast<std::int64_t>(run.profile.size()))
      .run();
  note(run.pushed_by, "push", run.id, labels.name);
  const std::optional<StoredRun> added = find_run(writer_, run.id);
  transaction.commit();
  return {*added, true};
}

std::optional<StoredRun> SqliteStore::run(const std::string& id) {
  const std::scoped_lock lock(reading_);
  return find_run(reader_, id);
}

std::vector<StoredRun> SqliteStore::runs_of(std::int64_t application, std::int64_t after,
                                            int most) {
  static const std::string kSql =
      sql("SELECT ", kRunColumns,
          "FROM runs WHERE application = ? AND number > ? ORDER BY number LIMIT ?");
  const std::scoped_lock lock(reading_);
  Statement rows(reader_, kSql.c_str());
  rows.bind(application, after, most);
  std::vector<StoredRun> runs;
  while (rows.step()) runs.push_back(run_of(rows));
  return runs;
}

std::string SqliteStore::profile_of(const std::string& run) {
  std::string packed;
  std::size_t bytes = 0;
  {
    const std::scoped_lock lock(reading_);
    Statement found(reader_, "SELECT profile, profile_bytes FROM runs WHERE id = ?");
    found.bind(run);
    if (!found.step()) throw InputError(run, "is no run of this store");
    packed = found.text(0);
    bytes = static_cast<std::size_t>(found.integer(1));
  }
  std::string text = unpack(packed, bytes, "run " + run);
  if (sha256(text) != run)
    throw InputError("run " + run, "is damaged in the store", "restore a backup",
                     ExitCode::kFailed);
  return text;
}

bool SqliteStore::take_out(const std::string& run, const std::string& reason,
                           const std::string& who) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  Statement(writer_,
            "UPDATE runs SET taken_out_because = ?, taken_out_by = ?, taken_out_at = ? "
            "WHERE id = ? AND taken_out_because IS NULL")
      .bind(reason, who, utc_now(), run)
      .run();
  if (writer_.changed_rows() == 0) return false;
  Statement(writer_,
            "UPDATE applications SET change = change + 1 "
            "WHERE id = (SELECT application FROM runs WHERE id = ?)")
      .bind(run)
      .run();
  note(who, "take out", run, reason);
  transaction.commit();
  return true;
}

// ---- Applications -------------------------------------------------------------------------------

std::optional<ModelInfo> SqliteStore::newest_model(std::int64_t application, bool is_good) {
  static const std::string kSql =
      sql("SELECT ", kModelColumns,
          "FROM models WHERE application = ? AND is_good >= ? ORDER BY number DESC LIMIT 1");
  Statement found(reader_, kSql.c_str());
  found.bind(application, is_good);
  if (!found.step()) return std::nullopt;
  return model_of(found);
}

ApplicationState SqliteStore::state_of(const Statement& row) {
  ApplicationState state;
  const std::int64_t id = row.integer(0);
  state.application = {id, {row.text(1), row.text(2), row.text(3)}};
  state.change = row.integer(4);
  state.fitted_change = row.integer(5);
  Statement counts(reader_,
                   "SELECT count(*), count(taken_out_because), max(received_at) FROM runs "
                   "WHERE application = ?");
  counts.bind(id);
  if (counts.step()) {
    state.taken_out = static_cast<int>(counts.integer(1));
    state.runs = static_cast<int>(counts.integer(0)) - state.taken_out;
    state.last_run_at = counts.text(2);
  }
  Statement procs(reader_,
                  "SELECT DISTINCT procs FROM runs WHERE application = ? AND taken_out_because IS "
                  "NULL ORDER BY procs");
  procs.bind(id);
  while (procs.step()) state.procs.push_back(static_cast<int>(procs.integer(0)));
  state.newest = newest_model(id, false);
  state.newest_good = newest_model(id, true);
  return state;
}

std::vector<ApplicationState> SqliteStore::applications(const ApplicationFilter& filter) {
  const std::scoped_lock lock(reading_);
  Statement rows(reader_,
                 "SELECT id, name, machine, version, change, fitted_change FROM applications "
                 "WHERE id > ?1 AND (?2 = '' OR name = ?2) AND (?3 = '' OR machine = ?3) "
                 "AND (?4 = '' OR version = ?4) "
                 "AND (?6 = '[]' OR name IN (SELECT value FROM json_each(?6))) "
                 "ORDER BY id LIMIT ?5");
  rows.bind(filter.after, filter.name, filter.machine, filter.version, filter.most,
            to_text(filter.scope));
  std::vector<ApplicationState> states;
  while (rows.step()) states.push_back(state_of(rows));
  return states;
}

std::optional<ApplicationState> SqliteStore::application(std::int64_t id) {
  const std::scoped_lock lock(reading_);
  Statement row(reader_,
                "SELECT id, name, machine, version, change, fitted_change FROM applications "
                "WHERE id = ?");
  row.bind(id);
  if (!row.step()) return std::nullopt;
  return state_of(row);
}

std::vector<std::int64_t> SqliteStore::pending() {
  const std::scoped_lock lock(reading_);
  Statement rows(reader_, "SELECT id FROM applications WHERE fitted_change < change ORDER BY id");
  std::vector<std::int64_t> ids;
  while (rows.step()) ids.push_back(rows.integer(0));
  return ids;
}

std::int64_t SqliteStore::count_runs() {
  const std::scoped_lock lock(reading_);
  Statement count(reader_, "SELECT count(*) FROM runs");
  return count.step() ? count.integer(0) : 0;
}

// ---- Models -------------------------------------------------------------------------------------

ModelInfo SqliteStore::add_model(const NewModel& model) {
  const std::string packed_model = pack(model.model);
  const std::string packed_report = pack(model.report);
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  Statement last(writer_, "SELECT coalesce(max(number), 0) FROM models WHERE application = ?");
  last.bind(model.application);
  const int number = (last.step() ? static_cast<int>(last.integer(0)) : 0) + 1;
  ModelInfo info{0,
                 model.application,
                 number,
                 utc_now(),
                 model.is_good,
                 model.message,
                 model.sparkline,
                 model.max_procs,
                 model.change};
  Statement(writer_,
            "INSERT INTO models(application, number, change, made_at, is_good, message, sparkline, "
            "max_procs, model, model_bytes, report, report_bytes) "
            "VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(model.application, number, model.change, info.made_at, model.is_good, model.message,
            model.sparkline, model.max_procs, Statement::blob(packed_model),
            static_cast<std::int64_t>(model.model.size()), Statement::blob(packed_report),
            static_cast<std::int64_t>(model.report.size()))
      .run();
  info.id = writer_.last_row();
  for (const std::string& run : model.runs)
    Statement(writer_, "INSERT INTO model_runs(model, run) VALUES(?, ?)").bind(info.id, run).run();
  Statement(writer_, "UPDATE applications SET fitted_change = max(fitted_change, ?) WHERE id = ?")
      .bind(model.change, model.application)
      .run();
  transaction.commit();
  return info;
}

std::vector<ModelInfo> SqliteStore::models_of(std::int64_t application, int most) {
  static const std::string kSql = sql(
      "SELECT ", kModelColumns, "FROM models WHERE application = ? ORDER BY number DESC LIMIT ?");
  const std::scoped_lock lock(reading_);
  Statement rows(reader_, kSql.c_str());
  rows.bind(application, most);
  std::vector<ModelInfo> models;
  while (rows.step()) models.push_back(model_of(rows));
  return models;
}

std::optional<ModelInfo> SqliteStore::model(std::int64_t id) {
  static const std::string kSql = sql("SELECT ", kModelColumns, "FROM models WHERE id = ?");
  const std::scoped_lock lock(reading_);
  Statement found(reader_, kSql.c_str());
  found.bind(id);
  if (!found.step()) return std::nullopt;
  return model_of(found);
}

std::string SqliteStore::unpacked(const char* query, std::int64_t id, const char* what) {
  std::string packed;
  std::size_t bytes = 0;
  {
    const std::scoped_lock lock(reading_);
    Statement found(reader_, query);
    found.bind(id);
    if (!found.step() || found.integer(1) == 0)
      throw InputError("", std::string("there is no such ") + what);
    packed = found.text(0);
    bytes = static_cast<std::size_t>(found.integer(1));
  }
  return unpack(packed, bytes, std::string(what) + " " + std::to_string(id));
}

std::string SqliteStore::model_text(std::int64_t id) {
  return unpacked("SELECT model, model_bytes FROM models WHERE id = ?", id, "model");
}

std::string SqliteStore::report_page(std::int64_t id) {
  return unpacked("SELECT report, report_bytes FROM models WHERE id = ?", id, "report");
}

std::vector<std::string> SqliteStore::runs_of_model(std::int64_t id) {
  const std::scoped_lock lock(reading_);
  Statement rows(reader_, "SELECT run FROM model_runs WHERE model = ? ORDER BY run");
  rows.bind(id);
  std::vector<std::string> runs;
  while (rows.step()) runs.push_back(rows.text(0));
  return runs;
}

// ---- Forecasts ----------------------------------------------------------------------------------

void SqliteStore::judge(const std::string& run, const std::optional<Forecast>& forecast) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  Statement(writer_, "UPDATE runs SET is_judged = 1 WHERE id = ? AND is_judged = 0")
      .bind(run)
      .run();
  if (writer_.changed_rows() == 0) return;
  if (forecast) {
    const Forecast& f = *forecast;
    Statement(writer_,
              "INSERT INTO forecasts(run, application, model, made_at, procs, params, factor, "
              "is_repeat, confidence, elapsed_s, predicted_s, low_s, high_s, measured_s, "
              "is_covered, note) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        .bind(run, f.application, f.model, utc_now(), f.procs, params_text(f.params), f.factor,
              f.is_repeat, f.confidence, f.elapsed_s, f.predicted_s, f.low_s, f.high_s,
              f.measured_s, f.is_covered, f.note)
        .run();
  }
  transaction.commit();
}

std::vector<Forecast> SqliteStore::forecasts(const ForecastFilter& filter) {
  const std::scoped_lock lock(reading_);
  Statement rows(
      reader_,
      "SELECT run, application, model, made_at, procs, params, factor, is_repeat, "
      "confidence, elapsed_s, predicted_s, low_s, high_s, measured_s, is_covered, note "
      "FROM forecasts WHERE (?1 = 0 OR application = ?1) AND (?3 = '[]' OR application IN "
      "(SELECT id FROM applications WHERE name IN (SELECT value FROM json_each(?3)))) "
      "ORDER BY number DESC LIMIT ?2");
  rows.bind(filter.application.value_or(0), filter.most, to_text(filter.scope));
  std::vector<Forecast> list;
  while (rows.step()) {
    Forecast f;
    f.run = rows.text(0);
    f.application = rows.integer(1);
    f.model = rows.integer(2);
    f.made_at = rows.text(3);
    f.procs = static_cast<int>(rows.integer(4));
    f.params = params_from(rows.text(5));
    f.factor = rows.number(6);
    f.is_repeat = rows.integer(7) != 0;
    f.confidence = rows.number(8);
    f.elapsed_s = rows.number(9);
    f.predicted_s = rows.optional_number(10);
    f.low_s = rows.optional_number(11);
    f.high_s = rows.optional_number(12);
    f.measured_s = rows.optional_number(13);
    f.is_covered = rows.integer(14) != 0;
    f.note = rows.text(15);
    list.push_back(std::move(f));
  }
  return list;
}

}  // namespace apmt::service
