// What is assumed before a program's runs are seen: configs/priors.yaml, which is compiled into the
// program.
#pragma once

#include "base/checked_json.h"

namespace apmt {

/// The file's members. Numbers and fractions such as "-2/3" are numbers, all other values are text.
const Json& prior_data();

/// The text of the file; the build makes this function from prior_text.cpp.in.
const char* prior_text();

}  // namespace apmt
