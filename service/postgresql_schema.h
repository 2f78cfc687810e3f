// The tables of the store in PostgreSQL, and the steps that bring older ones up to date.
#pragma once

#include "service/database.h"

namespace apmt::service {

/// Creates the tables in an empty schema, or carries out the steps that older tables lack, all in
/// one transaction. Throws InputError if the tables belong to a newer version of apmt or to another
/// program.
void bring_up_to_date(Database& database);

}  // namespace apmt::service
