// Files of other tools, each read into the values from which profiles_from() makes runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fitter/foreign_data.h"

namespace apmt {

struct ForeignFile {
  std::string program;  // empty: the file does not tell
  std::vector<ForeignValues> values;
  std::map<std::string, double> metadata = {};  // what it says of its run, as far as it is numbers
};

struct ForeignReading {
  std::string unit = {};    // of Caliper's times (s, ms, us, ns) where the file states none
  std::string region = {};  // of TALP's, the one that stands for the run; empty: the whole run
};

/// A file of whatever kind (foreign_kind.h). Throws InputError naming file and place.
ForeignFile read_foreign(const std::string& text, const std::string& file,
                         const ForeignReading& reading = {});

/// What the folder of a file says of its run, as Extra-P's and our own runs are named: of
/// "lulesh.p27.size30.r1" the program and {size: 30}; processes and repetitions are left to the
/// file. Nothing where the name is of another form.
ForeignFile said_by_folder(const std::string& folder);

ForeignFile read_mpip(const std::string& text, const std::string& file);
ForeignFile read_caliper_json(const std::string& text, const std::string& file,
                              const std::string& unit);
ForeignFile read_cali(const std::string& text, const std::string& file, const std::string& unit);
/// Seconds per unit of Caliper's times. Old files state no unit: then it must be given in `asked`.
double seconds_per_unit(const std::string& stated, const std::string& asked,
                        const std::string& place);
ForeignFile read_cube(std::string_view archive, const std::string& file);
ForeignFile read_talp(const std::string& text, const std::string& file, const std::string& region);
ForeignFile read_extrap_json(const std::string& text, const std::string& file);

/// Several files as one: runs at one point are repetitions. Metadata of the names `sizes` become
/// problem sizes. Throws InputError where the files are of different programs and `program` does
/// not say which, and where one lacks a size.
ForeignFile joined(std::vector<ForeignFile> files, const std::string& program,
                   const std::vector<std::string>& sizes = {});

}  // namespace apmt
