// Backups, checks and exports of a store, and deletion of what is no longer needed.
#pragma once

#include <string>
#include <vector>

#include "service/store.h"

namespace apmt::service {

/// Copies the store into a new file. A server may use the store meanwhile. The file appears only
/// when the copy is complete and on disk. Throws InputError for a store in PostgreSQL, which has
/// its own program for this.
void back_up(const std::string& address, const std::string& file);

/// One sentence for each fault that SQLite finds in its file; if it finds none, and for PostgreSQL,
/// one for each run whose bytes do not match its hash.
std::vector<std::string> faults_of(const std::string& address);

/// Replaces the store with a backup, if the backup has no faults. Throws InputError if a server
/// uses the store, or if it is in PostgreSQL.
void restore(const std::string& address, const std::string& backup);

/// Writes each run that is not excluded into a folder of its own. The runs of one application form
/// one experiment, which other commands of apmt can read. Returns the number of runs.
int export_runs(Store& store, const std::string& folder);

/// Deletes what need not be kept any longer, of all applications. Returns the number of models
/// whose text and page were deleted.
int forget_old(Store& store, const Retention& retention, const std::string& who);

}  // namespace apmt::service
