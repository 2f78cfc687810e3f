// The tables of the store in SQLite, and the steps that bring an older file up to date.
#pragma once

#include "service/sqlite_database.h"

namespace apmt::service {

/// Creates the tables in an empty file, or carries out the steps that an older file lacks, all in
/// one transaction. Throws InputError if the file belongs to a newer version of apmt or to another
/// program.
void bring_up_to_date(SqliteDatabase& database);

}  // namespace apmt::service
