// The values that are written into a store and read from it. Times are ISO 8601, UTC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/run_labels.h"

namespace apmt::service {

/// One version of a program on one machine. Only runs of one application are fitted together.
struct Application {
  std::int64_t id = 0;
  RunLabels labels;
};

struct ModelInfo {
  std::int64_t id = 0;
  std::int64_t application = 0;
  int number = 0;  // counts the models of the application from 1
  std::string made_at;
  bool is_good = false;
  std::string message;      // why it is not good; empty if it is
  std::string sparkline;    // JSON for the drawing in the list of applications; empty: none
  int max_procs = 0;        // the most processes of the fitted runs
  std::int64_t change = 0;  // ApplicationState::change when the fit began
};

struct ApplicationState {
  Application application;
  int runs = 0;  // without those taken out (excluded from fits)
  int taken_out = 0;
  std::string last_run_at;
  std::vector<int> procs;                // distinct process counts of the runs, ascending
  std::int64_t change = 0;               // grows whenever a run arrives or is taken out
  std::int64_t fitted_change = 0;        // the change up to which a fit was tried
  std::optional<ModelInfo> newest;       // the last attempt
  std::optional<ModelInfo> newest_good;  // the newest model that predicts
  bool is_pending() const { return fitted_change < change; }
};

struct NewRun {
  std::string id;  // SHA-256 of `profile`
  RunLabels labels;
  std::string profile;  // canonical bytes
  std::string pushed_by;
  int procs = 0;
  std::map<std::string, double> params;
  int repetition = 1;
  std::string started_at;
  double elapsed_s = 0;
};

struct StoredRun {
  std::int64_t number = 0;  // in the order in which the store received them
  std::string id;           // unique in the application; others may have the same run
  std::int64_t application = 0;
  int procs = 0;
  std::map<std::string, double> params;
  int repetition = 1;
  std::string started_at;
  double elapsed_s = 0;
  std::string received_at;
  std::string pushed_by;
  bool is_judged = false;  // judge() has marked it, and has stored its forecast, if there is one
  std::optional<std::string> taken_out_because;
};

struct AddedRun {
  StoredRun run;
  bool is_new = false;
};

struct NewModel {
  std::int64_t application = 0;
  std::int64_t change = 0;
  bool is_good = false;
  std::string message;
  std::string sparkline;
  int max_procs = 0;
  std::string model;               // JSON; empty if not good
  std::string report;              // HTML; empty if not good
  std::vector<std::int64_t> runs;  // numbers of the fitted runs
};

/// A model's prediction of a run that it was not fitted to, and the measured time.
struct Forecast {
  std::string run;  // its id
  std::int64_t application = 0;
  std::int64_t model = 0;
  std::string made_at;
  int procs = 0;
  std::map<std::string, double> params;
  double factor = 1;       // process count relative to the largest of the model
  bool is_repeat = false;  // the model was fitted to other runs of this count and size
  double confidence = 0.8;
  double elapsed_s = 0;
  std::optional<double> predicted_s;  // absent: no prediction, or a part not measured; see `note`
  std::optional<double> low_s;
  std::optional<double> high_s;
  // sum of those parts of the time that the model has; absent if one of them was not measured
  std::optional<double> measured_s;
  bool is_covered = false;
  std::string note;
};

/// The times of the versions of a program on a machine, and the versions at which they changed.
struct StoredHistory {
  std::string made_at;
  std::string report;  // JSON
  std::string page;    // HTML
};

// each role may also do what the roles before it may do
enum class Role { kReader, kPusher, kKeeper };

/// The applications that a token is for, by name.
class Scope {
 public:
  Scope() = default;  // all applications
  explicit Scope(std::vector<std::string> names) : names_(std::move(names)) {}

  bool is_all() const { return names_.empty(); }
  bool contains(const std::string& name) const {
    return is_all() || std::find(names_.begin(), names_.end(), name) != names_.end();
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
};

struct Token {
  std::string id;
  std::string name;         // the person or the purpose that the token is for
  std::string secret_hash;  // SHA-256 of the secret
  Role role = Role::kReader;
  std::string made_at;
  std::string expires_at;  // empty: never
  std::string revoked_at;  // empty: valid
  Scope scope = {};
};

struct AuditEntry {
  std::int64_t number = 0;
  std::string at;
  std::string who;
  std::string what;     // "push", "take out", "token add", "token revoke", "forget"
  std::string subject;  // id of the run or token; "audit log" for "forget"
  std::string detail;
};

}  // namespace apmt::service
