#include "service/store_care.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "service/sqlite_database.h"
#include "service/sqlite_schema.h"
#include "service/store_address.h"
#include "service/store_lock.h"

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

void for_each_application(Store& store, const std::function<void(const ApplicationState&)>& visit) {
  ApplicationFilter filter;
  for (std::vector<ApplicationState> states = store.applications(filter); !states.empty();
       states = store.applications(filter))
    for (const ApplicationState& state : states) {
      filter.after = state.application.id;
      visit(state);
    }
}

void for_each_run(Store& store, const std::function<void(const StoredRun&)>& visit) {
  constexpr int kAtOnce = 100;
  for_each_application(store, [&](const ApplicationState& state) {
    std::int64_t after = 0;
    for (std::vector<StoredRun> runs = store.runs_of(state.application.id, after, kAtOnce);
         !runs.empty(); runs = store.runs_of(state.application.id, after, kAtOnce))
      for (const StoredRun& run : runs) {
        after = run.number;
        visit(run);
      }
  });
}

/// The path of an SQLite store. Throws InputError for a PostgreSQL store: its message tells the
/// user to use `program` instead, a program of PostgreSQL that does the same.
std::string file_of(const std::string& text, const char* program) {
  const StoreAddress address = store_address(text);
  if (address.kind == StoreAddress::Kind::kPostgresql)
    throw InputError(address.shown,
                     "is a database of PostgreSQL, which has its own program for this",
                     std::string("use ") + program + "; docs/service.md shows how");
  return address.place;
}

/// The faults that SQLite itself finds.
std::vector<std::string> faults_of_file(const std::string& file) {
  if (!fs::exists(file)) throw InputError(file, "no such store");
  std::vector<std::string> faults;
  SqliteDatabase database(file, SqliteDatabase::Mode::kCreate);
  bring_up_to_date(database);
  Statement integrity(database, "PRAGMA integrity_check(20)");
  while (integrity.step())
    if (integrity.text(0) != "ok") faults.push_back("database: " + integrity.text(0));
  Statement keys(database, "PRAGMA foreign_key_check");
  while (keys.step()) faults.push_back("database: a row of " + keys.text(0) + " refers to nothing");
  return faults;
}

/// A message for each run whose bytes do not match its hash.
std::vector<std::string> damaged_runs(Store& store) {
  std::vector<std::string> faults;
  for_each_run(store, [&](const StoredRun& run) {
    try {
      (void)store.profile_of(run.number);
    } catch (const DatabaseLost&) {
      throw;
    } catch (const InputError& error) {
      faults.push_back(error.what());
    }
  });
  return faults;
}

/// Copies a database into `part`, then gives it the name `file`.
void copy_database(const std::string& from, const fs::path& part, const fs::path& file) {
  fs::remove(part);
  create_private(part.string());
  {
    SqliteDatabase source(from, SqliteDatabase::Mode::kReadOnly);
    SqliteDatabase target(part.string(), SqliteDatabase::Mode::kCreate);
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
  const std::string from = file_of(address, "pg_dump");
  if (!fs::exists(from)) throw InputError(from, "no such store");
  if (fs::exists(file)) throw InputError(file, "exists already", "give the name of a new file");
  copy_database(from, file + ".part", file);
}

std::vector<std::string> faults_of(const std::string& text) {
  const StoreAddress address = store_address(text);
  if (address.kind == StoreAddress::Kind::kSqlite) {
    std::vector<std::string> faults;
    try {
      faults = faults_of_file(address.place);
    } catch (const InputError& error) {
      if (!fs::exists(address.place)) throw;
      return {error.what()};
    }
    if (!faults.empty()) return faults;
  }
  return damaged_runs(*open_store(text));
}

void restore(const std::string& address, const std::string& backup) {
  const std::string file = file_of(address, "pg_restore");
  if (!fs::exists(backup)) throw InputError(backup, "no such file");
  const StoreLock lock(file);
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
  for_each_run(store, [&](const StoredRun& run) {
    if (run.taken_out_because) return;
    // Names of programs may hold any characters, so the folders have numbers.
    const fs::path to = fs::path(folder) / ("application-" + std::to_string(run.application)) /
                        ("run.p" + std::to_string(run.procs) + "." + run.id.substr(0, 12));
    fs::create_directories(to);
    write_run_profile(profile_from_text(store.profile_of(run.number), run.id), to / "profile.json");
    ++count;
  });
  return count;
}

int forget_old(Store& store, const Retention& retention, const std::string& who) {
  store.forget_audit(retention, who);
  int forgotten = 0;
  for_each_application(store, [&](const ApplicationState& state) {
    forgotten += store.forget_models(state.application.id, retention);
  });
  return forgotten;
}

}  // namespace apmt::service
