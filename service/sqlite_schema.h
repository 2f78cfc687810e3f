// The tables of the store, and the steps that bring the file of an older version up to date.
#pragma once

#include "service/sqlite.h"

namespace apmt::service {

constexpr int kSchemaVersion = 4;

/// Creates the tables in an empty file, or carries out the steps that an older file lacks, all in
/// one transaction. Throws InputError if the file belongs to a newer version of apmt or to another
/// program.
void bring_up_to_date(Connection& connection);

}  // namespace apmt::service
