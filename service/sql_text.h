// Pieces of SQL, and conversions of columns, that the parts of the store share.
#pragma once

#include <map>
#include <string>

#include "base/checked_json.h"
#include "service/database.h"
#include "service/records.h"

namespace apmt::service {

inline std::string sql(const char* before, const char* columns, const std::string& after) {
  return before + (columns + after);
}

/// A further condition of a WHERE clause: the name of the application is in the scope. The names
/// are the values from number `first` on.
inline std::string and_in(const Scope& scope, std::size_t first) {
  const std::size_t count = scope.names().size();
  return count == 0 ? "" : "AND name IN (" + placeholders(first, count) + ") ";
}

inline Bytes as_bytes(const std::string& text) { return {text}; }

inline std::string params_text(const std::map<std::string, double>& params) {
  return Json(params).dump();
}

inline std::map<std::string, double> params_from(const std::string& text) {
  return parse_json(text, "params").get<std::map<std::string, double>>();
}

}  // namespace apmt::service
