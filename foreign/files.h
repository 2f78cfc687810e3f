// Reads files of other tools into values, from which profiles_from() makes runs.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreign/data.h"

namespace apmt {

struct ForeignFile {
  std::string program;  // empty: not in the file
  std::vector<ForeignValues> values;
  std::map<std::string, double> metadata = {};  // numbers that the file states about its run
  std::string path = {};
  std::vector<std::string> warnings = {};
};

struct ForeignReading {
  std::string unit = {};    // unit of Caliper's times (s, ms, us, ns), if the file has none
  std::string region = {};  // TALP's region for the run; empty: the whole run
};

/// Reads a file of any kind (foreign/kind.h). Throws InputError that names the file and the place
/// of the error in it.
ForeignFile read_foreign(const std::string& text, const std::string& file,
                         const ForeignReading& reading = {});

/// The program and the sizes that a folder's name states, in the form that Extra-P and apmt use:
/// "lulesh.p27.size30.r1" gives the program lulesh and {size: 30} as metadata. Processes and
/// repetitions are taken from the file. Empty if the name has another form.
ForeignFile said_by_folder(const std::string& folder);

ForeignFile read_mpip(const std::string& text, const std::string& file);
ForeignFile read_caliper_json(const std::string& text, const std::string& file,
                              const std::string& unit);
ForeignFile read_cali(const std::string& text, const std::string& file, const std::string& unit);
/// Seconds per unit of Caliper's times. Old files state no unit; then the user must give it in
/// `asked`.
double seconds_per_unit(const std::string& stated, const std::string& asked,
                        const std::string& place);
/// The warning of a profile of Caliper that states no number of processes.
inline constexpr const char* kNoProcesses =
    "states no number of processes (mpi.world.size, jobsize or ranks): taken as 1";
ForeignFile read_cube(std::string_view archive, const std::string& file);
ForeignFile read_talp(const std::string& text, const std::string& file, const std::string& region);
ForeignFile read_extrap_json(const std::string& text, const std::string& file);

/// Joins several files: runs at one point are repetitions, in the order of the files. Metadata with
/// the names `sizes` become problem sizes. Throws InputError if a file lacks a size, or if the
/// files are of different programs, or only some state theirs, and `program` is empty.
ForeignFile joined(std::vector<ForeignFile> files, const std::string& program,
                   const std::vector<std::string>& sizes = {});

}  // namespace apmt
