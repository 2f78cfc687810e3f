// The names in measurements of other tools: which of them mean processes and time, and names of
// problem sizes that apmt can use.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreign/data.h"

namespace apmt {

/// Fills in `procs_from` and `time_metric` where the user did not give them. Throws InputError if
/// they cannot be told, or if the data do not have them.
void settle_names(const std::vector<ForeignValues>& values, ForeignOptions* options);

/// Gives problem sizes names that --work and --set accept: every other character becomes "_".
/// Returns the new names by the old ones. Throws InputError if two sizes would have one name.
std::map<std::string, std::string> rename_sizes(std::vector<ForeignValues>* values,
                                                const std::string& procs_from);

/// The unit other than seconds that the name of a metric states, such as ms of "runtime [ms]".
/// Empty if it states none.
std::string other_unit_in(const std::string& metric);

}  // namespace apmt
