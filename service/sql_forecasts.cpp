// The part of the store that holds forecasts.

#include "service/sql_store.h"
#include "service/sql_text.h"

namespace apmt::service {

void SqlStore::judge(const std::string& run, const std::optional<Forecast>& forecast) {
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  const std::int64_t changed =
      Statement(writer_, "UPDATE runs SET is_judged = 1 WHERE id = $1 AND is_judged = 0")
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
  const std::vector<std::string>& names = filter.scope.names();
  std::string where = filter.application ? "application = $2" : "";
  if (!names.empty())
    where += (where.empty() ? "" : " AND ") +
             ("application IN (SELECT id FROM applications WHERE name IN (" +
              placeholders(filter.application ? 3 : 2, names.size()) + "))");
  const Readers::Lease reader = readers_.take();
  Statement rows(reader,
                 "SELECT run, application, model, made_at, procs, params, factor, is_repeat, "
                 "confidence, elapsed_s, predicted_s, low_s, high_s, measured_s, is_covered, note "
                 "FROM forecasts " +
                     (where.empty() ? "" : "WHERE " + where) + " ORDER BY number DESC LIMIT $1");
  rows.bind(filter.most);
  if (filter.application) rows.bind(*filter.application);
  for (const std::string& name : names) rows.bind(name);
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
