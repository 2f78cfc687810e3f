// Files of other tools, each read into the values that profiles_from() makes runs of.
#pragma once

#include <string>
#include <vector>

#include "fitter/foreign_data.h"

namespace apmt {

struct ForeignFile {
  std::string program;  // empty: the file does not tell
  std::vector<ForeignValues> values;
};

/// A file of whatever kind (foreign_kind.h). `unit` of its times (s, ms, us, ns) where it states
/// none. Throws InputError naming file and place.
ForeignFile read_foreign(const std::string& text, const std::string& file,
                         const std::string& unit = {});

ForeignFile read_mpip(const std::string& text, const std::string& file);
ForeignFile read_caliper_json(const std::string& text, const std::string& file,
                              const std::string& unit);
ForeignFile read_cali(const std::string& text, const std::string& file, const std::string& unit);
/// What one of a unit of Caliper's is in seconds. Old files state none: then it must be `asked`.
double seconds_per_unit(const std::string& stated, const std::string& asked,
                        const std::string& place);
ForeignFile read_extrap_json(const std::string& text, const std::string& file);

/// Several files as one: runs at one point are repetitions. Throws InputError where they are of
/// different programs and `program` does not say which.
ForeignFile joined(std::vector<ForeignFile> files, const std::string& program);

}  // namespace apmt
