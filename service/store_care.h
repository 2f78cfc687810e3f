// Backups of a store and checks of its integrity.
#pragma once

#include <string>
#include <vector>

#include "service/store.h"

namespace apmt::service {

/// Copies the store into a new file, also while a server uses it. The file appears only once the
/// copy is complete and on disk.
void back_up(const std::string& address, const std::string& file);

/// One sentence for each fault: of the database, and of runs whose bytes do not have their hash.
std::vector<std::string> faults_of(const std::string& address);

/// Replaces the store by a backup without faults. Throws InputError if a server uses the store.
void restore(const std::string& address, const std::string& backup);

/// Writes each run that is not taken out as a folder that local verbs read: one experiment for each
/// application. Returns the number of runs.
int export_runs(Store& store, const std::string& folder);

/// Held by a server as long as it runs, so that there is one server for a store and nobody restores
/// the store below it.
class StoreLock {
 public:
  explicit StoreLock(const std::string& address);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace apmt::service
