// The part of the store that holds forecasts.

#include "service/sql_store.h"
#include "service/sql_text.h"

namespace apmt::service {
namespace {

/// A statement about the forecasts that a filter selects; the filter's condition is put between
/// `before` and `after`.
Statement selected(Database& database, const std::string& before, const std::string& after,
                   const ForecastFilter& filter) {
  const std::vector<std::string>& names = filter.scope.names();
  std::string where;
  if (filter.application) where = "application = $1";
  if (!names.empty())
    where += (where.empty() ? "" : " AND ") +
             ("application IN (SELECT id FROM applications WHERE name IN (" +
              placeholders(filter.application ? 2 : 1, names.size()) + "))");
  Statement rows(database, before + (where.empty() ? "" : "WHERE " + where) + after);
  if (filter.application) rows.bind(*filter.application);
  for (const std::string& name : names) rows.bind(name);
  return rows;
}

}  // namespace

void SqlStore::judge(std::int64_t run, const std::optional<Forecast>& forecast) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  const std::int64_t changed =
      Statement(writer_, "UPDATE runs SET is_judged = 1 WHERE number = $1 AND is_judged = 0")
          .bind(run)
          .run();
  if (changed == 0) return;
  if (forecast) {
    const Forecast& f = *forecast;
    Statement(writer_,
              "INSERT INTO forecasts(run, application, model, made_at, procs, params, factor, "
              "is_repeat, confidence, elapsed_s, predicted_s, low_s, high_s, measured_s, "
              "is_covered, note) "
              "VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)")
        .bind(run, f.application, f.model, utc_now(), f.procs, params_text(f.params), f.factor,
              f.is_repeat, f.confidence, f.elapsed_s, f.predicted_s, f.low_s, f.high_s,
              f.measured_s, f.is_covered, f.note)
        .run();
  }
  transaction.commit();
}

std::vector<Forecast> SqlStore::forecasts(const ForecastFilter& filter) {
  const Readers::Lease reader = readers_.take();
  // The newest forecasts are chosen first, so that only their runs are looked up.
  Statement rows = selected(
      reader,
      "SELECT r.id, f.application, f.model, f.made_at, f.procs, f.params, f.factor, f.is_repeat, "
      "f.confidence, f.elapsed_s, f.predicted_s, f.low_s, f.high_s, f.measured_s, f.is_covered, "
      "f.note FROM (SELECT * FROM forecasts ",
      " ORDER BY number DESC LIMIT " + std::to_string(filter.most) +
          ") f JOIN runs r ON r.number = f.run ORDER BY f.number DESC",
      filter);
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

std::int64_t SqlStore::count_forecasts(std::int64_t application) {
  const Readers::Lease reader = readers_.take();
  return Statement(reader, "SELECT count(*) FROM forecasts WHERE application = $1")
      .bind(application)
      .first_integer()
      .value_or(0);
}

TrackRecord SqlStore::track_record(const ForecastFilter& filter) {
  const Readers::Lease reader = readers_.take();
  Statement rows = selected(
      reader,
      "SELECT is_repeat, factor, confidence, is_covered, predicted_s, measured_s FROM forecasts ",
      "", filter);
  TrackTally tally;
  while (rows.step())
    tally.add({rows.integer(0) != 0, rows.number(1), rows.number(2), rows.integer(3) != 0,
               rows.optional_number(4), rows.optional_number(5)});
  return tally.record();
}

}  // namespace apmt::service
