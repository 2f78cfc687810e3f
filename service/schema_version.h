// The version of the tables of the store, the same in every kind of database.
#pragma once

#include <cstdint>
#include <string>

#include "base/input_error.h"

namespace apmt::service {

constexpr int kSchemaVersion = 5;

/// Throws InputError if the database `name` belongs to a newer version of apmt.
inline void check_version(const std::string& name, std::int64_t version) {
  if (version > kSchemaVersion)
    throw InputError(name,
                     "was written by a newer version of apmt (schema " + std::to_string(version) +
                         ", this one has " + std::to_string(kSchemaVersion) + ")",
                     "install that version");
}

}  // namespace apmt::service
