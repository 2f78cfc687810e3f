#include "service/store_care.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "service/sqlite.h"
#include "service/sqlite_schema.h"

namespace apmt::service {
namespace {

namespace fs = std::filesystem;

void sync_file(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!is_synced) throw InputError(path.string(), std::strerror(errno), {}, ExitCode::kFailed);
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Copies a database into `part`, then gives it the name `file`.
void copy_database(const std::string& from, const fs::path& part, const fs::path& file) {
  fs::remove(part);
  create_private(part.string());
  {
    Connection source(from, Connection::Mode::kReadOnly);
    Connection target(part.string(), Connection::Mode::kCreate);
    sqlite3_backup* copy = sqlite3_backup_init(target.handle(), "main", source.handle(), "main");
    if (copy == nullptr) target.fail();
    while (true) {
      const int state = sqlite3_backup_step(copy, -1);
      if (state == SQLITE_BUSY || state == SQLITE_LOCKED) {
        sqlite3_sleep(10);
        continue;
      }
      sqlite3_backup_finish(copy);
      if (state != SQLITE_DONE) target.fail();
      break;
    }
    target.run("PRAGMA journal_mode = DELETE");  // one file, without a log beside it
  }
  sync_file(part);
  fs::rename(part, file);
  sync_file(folder_of(file));
}

}  // namespace

void back_up(const std::string& address, const std::string& file) {
  const std::string from = store_file(address);
  if (!fs::exists(from)) throw InputError(from, "no such store");
  if (fs::exists(file)) throw InputError(file, "exists already", "give the name of a new file");
  copy_database(from, file + ".part", file);
}

std::vector<std::string> faults_of(const std::string& address) {
  const std::string file = store_file(address);
  if (!fs::exists(file)) throw InputError(file, "no such store");
  std::vector<std::string> faults;
  std::vector<std::string> runs;
  try {
    Connection connection(file, Connection::Mode::kCreate);
    bring_up_to_date(connection);
    Statement integrity(connection, "PRAGMA integrity_check(20)");
    while (integrity.step())
      if (integrity.text(0) != "ok") faults.push_back("database: " + integrity.text(0));
    Statement keys(connection, "PRAGMA foreign_key_check");
    while (keys.step())
      faults.push_back("database: a row of " + keys.text(0) + " refers to nothing");
    if (!faults.empty()) return faults;
    Statement ids(connection, "SELECT id FROM runs ORDER BY number");
    while (ids.step()) runs.push_back(ids.text(0));
  } catch (const InputError& error) {
    return {error.what()};
  }
  const std::unique_ptr<Store> store = open_store(address);
  for (const std::string& run : runs) {
    try {
      (void)store->profile_of(run);
    } catch (const InputError& error) {
      faults.push_back(error.what());
    }
  }
  return faults;
}

void restore(const std::string& address, const std::string& backup) {
  const std::string file = store_file(address);
  if (!fs::exists(backup)) throw InputError(backup, "no such file");
  const StoreLock lock(address);
  const fs::path part = file + ".part";
  copy_database(backup, file + ".copying", part);
  if (const std::vector<std::string> faults = faults_of("sqlite:" + part.string());
      !faults.empty()) {
    fs::remove(part);
    throw InputError(backup, faults.front(), "give another backup", ExitCode::kFailed);
  }
  for (const char* log : {"-wal", "-shm"}) {
    fs::remove(part.string() + log);
    fs::remove(file + log);
  }
  fs::rename(part, file);
  sync_file(folder_of(file));
}

int export_runs(Store& store, const std::string& folder) {
  int count = 0;
  ApplicationFilter filter;
  for (std::vector<ApplicationState> states = store.applications(filter); !states.empty();
       states = store.applications(filter)) {
    for (const ApplicationState& state : states) {
      filter.after = state.application.id;
      // Names of programs may hold any characters, so the folders have numbers.
      const fs::path place =
          fs::path(folder) / ("application-" + std::to_string(state.application.id));
      std::int64_t after = 0;
      for (std::vector<StoredRun> runs = store.runs_of(state.application.id, after, 100);
           !runs.empty(); runs = store.runs_of(state.application.id, after, 100)) {
        for (const StoredRun& run : runs) {
          after = run.number;
          if (run.taken_out_because) continue;
          const fs::path to =
              place / ("run.p" + std::to_string(run.procs) + "." + run.id.substr(0, 12));
          fs::create_directories(to);
          write_run_profile(profile_from_text(store.profile_of(run.id), run.id),
                            to / "profile.json");
          ++count;
        }
      }
    }
  }
  return count;
}

int forget_old(Store& store, const Retention& retention, const std::string& who) {
  store.forget_audit(retention, who);
  int forgotten = 0;
  ApplicationFilter filter;
  for (std::vector<ApplicationState> states = store.applications(filter); !states.empty();
       states = store.applications(filter))
    for (const ApplicationState& state : states) {
      filter.after = state.application.id;
      forgotten += store.forget_models(state.application.id, retention);
    }
  return forgotten;
}

StoreLock::StoreLock(const std::string& address) {
  const std::string file = store_file(address) + ".lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor_ < 0)
    throw InputError(file, std::strerror(errno), "check that the folder exists and may be written",
                     ExitCode::kFailed);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    ::close(descriptor_);
    throw InputError(store_file(address), "is in use by another apmt serve", "stop that one first",
                     ExitCode::kFailed);
  }
}

StoreLock::~StoreLock() { ::close(descriptor_); }

}  // namespace apmt::service
