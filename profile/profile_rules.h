// Checks rules that involve several fields of a run's profile, in addition to the rules of single
// fields.
#pragma once

#include <string>

#include "profile/run_profile.h"

namespace apmt {

/// Throws InputError with the file and the place if a rule is broken.
void check_rules_across_fields(const RunProfile& profile, const std::string& file);

}  // namespace apmt
