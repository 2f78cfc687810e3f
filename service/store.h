// The interface of the store, in which the service keeps runs, models, forecasts and tokens.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "service/records.h"
#include "service/track_record.h"

namespace apmt::service {

/// Selects applications. An empty member selects all.
struct ApplicationFilter {
  std::string name = {};
  std::string machine = {};
  std::string version = {};
  std::int64_t after = 0;  // ids above this one
  int most = 1000;
  Scope scope = {};
  bool newest = false;  // if more than `most` match: those with the largest ids
};

/// Selects the runs with this id. Every other member, if empty, selects all.
struct RunFilter {
  std::string id;
  std::optional<std::int64_t> application = {};
  RunLabels labels = {};
  Scope scope = {};
};

struct ForecastFilter {
  std::optional<std::int64_t> application = {};
  int most = 1000;  // at most this many forecasts, the newest
  Scope scope = {};
};

/// How long the store keeps things. Runs, forecasts, histories and the list of models are always
/// kept.
struct Retention {
  static constexpr int kFewestModels = 2;  // requests may still read the model before the newest
  int models = 10;     // per application: how many good models, the newest, keep text and page
  int audit_days = 0;  // days for which entries of the audit log are kept; 0: for ever
};

/// Functions that change the store return once the change is on disk. All are safe to call from
/// several threads, and while another process uses the same store. They throw InputError if the
/// store cannot be read or written.
class Store {
 public:
  virtual ~Store() = default;

  /// Adds a run to its application, and an entry to the audit log. A run that the application has
  /// already stays as it is.
  virtual AddedRun add_run(const NewRun& run) = 0;
  virtual std::optional<StoredRun> run(std::int64_t number) = 0;
  /// The runs that the filter selects, at most ten, in the order of their numbers. All have the
  /// same bytes, because they have the same id, which is the hash of the bytes.
  virtual std::vector<StoredRun> runs_with(const RunFilter& filter) = 0;
  /// The runs with numbers above `after`, in the order of their numbers.
  virtual std::vector<StoredRun> runs_of(std::int64_t application, std::int64_t after,
                                         int most) = 0;
  /// The canonical bytes of a run's profile. Throws InputError if their hash is not the run's id.
  virtual std::string profile_of(std::int64_t run) = 0;
  /// Excludes a run from future fits. Returns false if there is no such run, or if it is excluded
  /// already.
  virtual bool take_out(std::int64_t run, const std::string& reason, const std::string& who) = 0;

  /// Sorted by id.
  virtual std::vector<ApplicationState> applications(const ApplicationFilter& filter) = 0;
  virtual std::optional<ApplicationState> application(std::int64_t id) = 0;
  /// The applications for which no fit was tried since a run was added or excluded.
  virtual std::vector<std::int64_t> pending() = 0;
  virtual std::int64_t count_runs() = 0;

  virtual ModelInfo add_model(const NewModel& model) = 0;
  /// The newest first.
  virtual std::vector<ModelInfo> models_of(std::int64_t application, int most) = 0;
  virtual std::optional<ModelInfo> model(std::int64_t id) = 0;
  virtual std::string model_text(std::int64_t id) = 0;
  virtual std::string report_page(std::int64_t id) = 0;
  virtual std::vector<std::int64_t> runs_of_model(std::int64_t id) = 0;

  /// Marks a run as judged, and stores its forecast, if there is one. Does nothing if the run is
  /// marked already.
  virtual void judge(std::int64_t run, const std::optional<Forecast>& forecast) = 0;
  /// The newest first.
  virtual std::vector<Forecast> forecasts(const ForecastFilter& filter) = 0;
  virtual std::int64_t count_forecasts(std::int64_t application) = 0;
  /// The track record of all forecasts that the filter selects, however many they are.
  virtual TrackRecord track_record(const ForecastFilter& filter) = 0;

  /// Replaces the history of a program on a machine.
  virtual void set_history(const std::string& name, const std::string& machine,
                           const StoredHistory& history) = 0;
  virtual std::optional<StoredHistory> history(const std::string& name,
                                               const std::string& machine) = 0;

  virtual void add_token(const Token& token, const std::string& who) = 0;
  virtual std::optional<Token> token(const std::string& id) = 0;
  virtual std::vector<Token> tokens() = 0;
  virtual bool revoke_token(const std::string& id, const std::string& who) = 0;

  /// The newest first.
  virtual std::vector<AuditEntry> audit(int most) = 0;

  /// Deletes the texts and pages of those models of an application that are no longer to be kept.
  /// Returns the number of these models.
  virtual int forget_models(std::int64_t application, const Retention& retention) = 0;
  /// Deletes entries of the audit log that are no longer to be kept, and logs that. Returns their
  /// number.
  virtual int forget_audit(const Retention& retention, const std::string& who) = 0;
};

/// kServer locks the store, so that only one server at a time uses it.
enum class Use { kShared, kServer };

/// Opens "sqlite:FILE" (and creates the file if it does not exist) or "postgresql://...". Throws
/// InputError if it is to be used by a server and another server uses it.
std::unique_ptr<Store> open_store(const std::string& address, Use use = Use::kShared);

/// A scope as the JSON array of its names, and back.
std::string to_text(const Scope& scope);
Scope scope_from(const std::string& text);

std::string to_string(Role role);
Role role_from(const std::string& name);

/// The present time in ISO 8601, to the second, in UTC.
std::string utc_now();
/// The time in `days` days (ago, if negative), in the same form.
std::string utc_in_days(int days);

}  // namespace apmt::service
