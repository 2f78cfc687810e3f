// The part of the store that holds models.

#include "base/input_error.h"
#include "service/packed.h"
#include "service/sql_model_rows.h"
#include "service/sql_store.h"
#include "service/sql_text.h"

namespace apmt::service {

ModelInfo SqlStore::add_model(const NewModel& model) {
  const std::string packed_model = pack(model.model);
  const std::string packed_report = pack(model.report);
  const std::scoped_lock lock(writing_);
  Transaction transaction(writer_);
  // This UPDATE also locks the application's row, so that no other process gives the same number to
  // a model.
  Statement(writer_,
            "UPDATE applications SET fitted_change = "
            "CASE WHEN fitted_change < $1 THEN $1 ELSE fitted_change END WHERE id = $2")
      .bind(model.change, model.application)
      .run();
  const auto number = static_cast<int>(
      Statement(writer_, "SELECT coalesce(max(number), 0) + 1 FROM models WHERE application = $1")
          .bind(model.application)
          .first_integer()
          .value());
  ModelInfo info{0,
                 model.application,
                 number,
                 utc_now(),
                 model.is_good,
                 model.message,
                 model.sparkline,
                 model.max_procs,
                 model.change};
  info.id = Statement(writer_,
                      "INSERT INTO models(application, number, change, made_at, is_good, message, "
                      "sparkline, max_procs, model, model_bytes, report, report_bytes) "
                      "VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id")
                .bind(model.application, number, model.change, info.made_at, model.is_good,
                      model.message, model.sparkline, model.max_procs, as_bytes(packed_model),
                      static_cast<std::int64_t>(model.model.size()), as_bytes(packed_report),
                      static_cast<std::int64_t>(model.report.size()))
                .first_integer()
                .value();
  for (const std::int64_t run : model.runs)
    Statement(writer_, "INSERT INTO model_runs(model, run) VALUES($1, $2)")
        .bind(info.id, run)
        .run();
  transaction.commit();
  return info;
}

std::vector<ModelInfo> SqlStore::models_of(std::int64_t application, int most) {
  const Readers::Lease reader = readers_.take();
  Statement rows(reader, sql("SELECT ", kModelColumns,
                             "FROM models WHERE application = $1 ORDER BY number DESC LIMIT $2"));
  rows.bind(application, most);
  std::vector<ModelInfo> models;
  while (rows.step()) models.push_back(model_of(rows));
  return models;
}

std::optional<ModelInfo> SqlStore::model(std::int64_t id) {
  const Readers::Lease reader = readers_.take();
  Statement found(reader, sql("SELECT ", kModelColumns, "FROM models WHERE id = $1"));
  found.bind(id);
  if (!found.step()) return std::nullopt;
  return model_of(found);
}

std::string SqlStore::unpacked(const char* query, std::int64_t id, const char* what) {
  std::string packed;
  std::size_t bytes = 0;
  {
    const Readers::Lease reader = readers_.take();
    Statement found(reader, query);
    found.bind(id);
    if (!found.step() || found.integer(1) == 0)
      throw InputError("", std::string("there is no such ") + what);
    packed = found.bytes(0);
    bytes = static_cast<std::size_t>(found.integer(1));
  }
  return unpack(packed, bytes, std::string(what) + " " + std::to_string(id));
}

std::string SqlStore::model_text(std::int64_t id) {
  return unpacked("SELECT model, model_bytes FROM models WHERE id = $1", id, "model");
}

std::string SqlStore::report_page(std::int64_t id) {
  return unpacked("SELECT report, report_bytes FROM models WHERE id = $1", id, "report");
}

std::vector<std::int64_t> SqlStore::runs_of_model(std::int64_t id) {
  const Readers::Lease reader = readers_.take();
  Statement rows(reader, "SELECT run FROM model_runs WHERE model = $1 ORDER BY run");
  rows.bind(id);
  std::vector<std::int64_t> runs;
  while (rows.step()) runs.push_back(rows.integer(0));
  return runs;
}

}  // namespace apmt::service
