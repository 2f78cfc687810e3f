// The store in a database of SQL. Profiles, models and reports are compressed blobs in it.
#pragma once

#include <mutex>

#include "service/connections.h"
#include "service/store.h"

namespace apmt::service {

class SqlStore : public Store {
 public:
  /// `connect` creates the tables, or brings them up to date, when it connects for writing.
  explicit SqlStore(Connect connect);

  AddedRun add_run(const NewRun& run) override;
  std::optional<StoredRun> run(std::int64_t number) override;
  std::vector<StoredRun> runs_with(const RunFilter& filter) override;
  std::vector<StoredRun> runs_of(std::int64_t application, std::int64_t after, int most) override;
  std::string profile_of(std::int64_t run) override;
  bool take_out(std::int64_t run, const std::string& reason, const std::string& who) override;

  std::vector<ApplicationState> applications(const ApplicationFilter& filter) override;
  std::optional<ApplicationState> application(std::int64_t id) override;
  std::vector<std::int64_t> pending() override;
  std::int64_t count_runs() override;

  ModelInfo add_model(const NewModel& model) override;
  std::vector<ModelInfo> models_of(std::int64_t application, int most) override;
  std::optional<ModelInfo> model(std::int64_t id) override;
  std::string model_text(std::int64_t id) override;
  std::string report_page(std::int64_t id) override;
  std::vector<std::int64_t> runs_of_model(std::int64_t id) override;

  void judge(std::int64_t run, const std::optional<Forecast>& forecast) override;
  std::vector<Forecast> forecasts(const ForecastFilter& filter) override;
  std::int64_t count_forecasts(std::int64_t application) override;
  TrackRecord track_record(const ForecastFilter& filter) override;

  void set_history(const std::string& name, const std::string& machine,
                   const StoredHistory& history) override;
  std::optional<StoredHistory> history(const std::string& name,
                                       const std::string& machine) override;

  void add_token(const Token& token, const std::string& who) override;
  std::optional<Token> token(const std::string& id) override;
  std::vector<Token> tokens() override;
  bool revoke_token(const std::string& id, const std::string& who) override;

  std::vector<AuditEntry> audit(int most) override;

  int forget_models(std::int64_t application, const Retention& retention) override;
  int forget_audit(const Retention& retention, const std::string& who) override;

 private:
  std::string unpacked(const char* sql, std::int64_t id, const char* what);
  void note(const std::string& who, const char* what, const std::string& subject,
            const std::string& detail);

  // Reads have connections of their own, so that readers do not wait for a writer.
  std::mutex writing_;
  std::unique_ptr<Database> connected_;
  Database& writer_;
  Readers readers_;
};

}  // namespace apmt::service
