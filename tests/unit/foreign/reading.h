// What tests of reading other tools' files have in common.
#pragma once

#include <string>

#include "base/input_error.h"
#include "foreign/files.h"

namespace apmt {

/// The values of this metric at this call path; null if there are none.
inline const ForeignValues* find(const ForeignFile& file, const std::string& callpath,
                                 const std::string& metric = "time") {
  for (const ForeignValues& v : file.values)
    if (v.callpath == callpath && v.metric == metric) return &v;
  return nullptr;
}

/// The error and its hint if a file of this name and content is refused; otherwise "taken".
inline std::string refusal(const std::string& text, const std::string& file) {
  try {
    read_foreign(text, file);
  } catch (const InputError& error) {
    return error.what() + std::string(" ") + error.hint();
  }
  return "taken";
}

}  // namespace apmt
