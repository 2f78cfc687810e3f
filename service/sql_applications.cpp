// The part of the store that lists applications with their state.

#include <map>

#include "service/sql_model_rows.h"
#include "service/sql_store.h"
#include "service/sql_text.h"

namespace apmt::service {
namespace {

constexpr const char* kColumns = "id, name, machine, version, change, fitted_change ";

/// Applications, by id. Each statement reads rows of all of them at once, because every statement
/// costs a round trip to the database server.
class States {
 public:
  States(Database& database, Statement& rows) : database_(database) {
    while (rows.step()) {
      ApplicationState state;
      state.application = {rows.integer(0), {rows.text(1), rows.text(2), rows.text(3)}};
      state.change = rows.integer(4);
      state.fitted_change = rows.integer(5);
      states_.emplace(state.application.id, std::move(state));
    }
    if (states_.empty()) return;
    read_counts();
    read_procs();
    read_models(false, &ApplicationState::newest);
    read_models(true, &ApplicationState::newest_good);
  }

  std::vector<ApplicationState> list() {
    std::vector<ApplicationState> list;
    for (auto& [id, state] : states_) list.push_back(std::move(state));
    return list;
  }

 private:
  /// A statement about these applications; their ids are put between `before` and `after`.
  Statement about_them(const std::string& before, const std::string& after) {
    Statement rows(database_, before + "(" + placeholders(1, states_.size()) + ")" + after);
    for (const auto& [id, state] : states_) rows.bind(id);
    return rows;
  }

  void read_counts() {
    Statement rows = about_them(
        "SELECT application, count(*), count(taken_out_because), max(received_at) FROM runs "
        "WHERE application IN ",
        " GROUP BY application");
    while (rows.step()) {
      ApplicationState& state = states_.at(rows.integer(0));
      state.taken_out = static_cast<int>(rows.integer(2));
      state.runs = static_cast<int>(rows.integer(1)) - state.taken_out;
      state.last_run_at = rows.text(3);
    }
  }

  void read_procs() {
    Statement rows = about_them(
        "SELECT DISTINCT application, procs FROM runs WHERE taken_out_because IS NULL "
        "AND application IN ",
        " ORDER BY application, procs");
    while (rows.step())
      states_.at(rows.integer(0)).procs.push_back(static_cast<int>(rows.integer(1)));
  }

  void read_models(bool good_ones, std::optional<ModelInfo> ApplicationState::*member) {
    Statement rows = about_them(sql("SELECT ", kModelColumns,
                                    "FROM models WHERE id IN (SELECT max(id) FROM models WHERE ") +
                                    (good_ones ? "is_good = 1 AND " : "") + "application IN ",
                                " GROUP BY application)");
    while (rows.step()) states_.at(rows.integer(1)).*member = model_of(rows);
  }

  Database& database_;
  std::map<std::int64_t, ApplicationState> states_;
};

}  // namespace

std::vector<ApplicationState> SqlStore::applications(const ApplicationFilter& filter) {
  const Readers::Lease reader = readers_.take();
  Statement rows(reader, sql("SELECT ", kColumns,
                             "FROM applications WHERE id > $1 AND ($2 = '' OR name = $2) "
                             "AND ($3 = '' OR machine = $3) AND ($4 = '' OR version = $4) " +
                                 and_in(filter.scope, 6) + "ORDER BY id " +
                                 (filter.newest ? "DESC " : "") + "LIMIT $5"));
  rows.bind(filter.after, filter.name, filter.machine, filter.version, filter.most);
  for (const std::string& name : filter.scope.names()) rows.bind(name);
  return States(reader, rows).list();
}

std::optional<ApplicationState> SqlStore::application(std::int64_t id) {
  const Readers::Lease reader = readers_.take();
  Statement row(reader, sql("SELECT ", kColumns, "FROM applications WHERE id = $1"));
  row.bind(id);
  std::vector<ApplicationState> states = States(reader, row).list();
  if (states.empty()) return std::nullopt;
  return std::move(states.front());
}

std::vector<std::int64_t> SqlStore::pending() {
  const Readers::Lease reader = readers_.take();
  Statement rows(reader, "SELECT id FROM applications WHERE fitted_change < change ORDER BY id");
  std::vector<std::int64_t> ids;
  while (rows.step()) ids.push_back(rows.integer(0));
  return ids;
}

}  // namespace apmt::service
