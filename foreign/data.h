// Measurements from other tools: converts their values to run profiles, which are fitted like any
// other. Also reads the text and JSON Lines formats of Extra-P.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profile/run_profile.h"

namespace apmt {

/// One metric of one call path at one point, with all repetitions.
struct ForeignValues {
  std::string callpath;  // empty: the whole program
  std::string metric;
  std::map<std::string, double> params;
  std::vector<double> values;
  std::size_t file = 0;    // position among the joined files; each run comes from a single file
  std::string place = {};  // for errors: the file, with the line if it is known
};

/// Reads Extra-P's text format, with the sections PARAMETER, POINTS, METRIC, REGION, DATA. Throws
/// InputError that names file and line.
std::vector<ForeignValues> read_extrap_text(const std::string& text, const std::string& file);

/// Reads JSON Lines: on each line, an object with params, metric, callpath and value. Throws
/// InputError that names file and line.
std::vector<ForeignValues> read_extrap_json_lines(const std::string& text, const std::string& file);

struct ForeignOptions {
  std::string program = {};
  /// The parameter that is the number of processes. Empty: the parameter with a usual name, such as
  /// "p" or "procs".
  std::string procs_from = {};
  /// The metric that is a time in seconds. Empty: "time", or the only metric.
  std::string time_metric = {};
  /// Whether values are sums over ranks; otherwise they are means per rank.
  bool summed = false;
};

/// Makes one profile for each point, file and repetition. If only one call path has times, they are
/// the elapsed times of the runs. If several have, their times are exclusive: call paths that end
/// in MPI_... are communication, the others are kernels. A point has as many repetitions as the
/// call path with the fewest measured times. Further values of other call paths are left out, and
/// `left_out` names them. Throws InputError if process counts or times cannot be identified.
std::vector<RunProfile> profiles_from(const std::vector<ForeignValues>& values,
                                      const ForeignOptions& options,
                                      std::vector<std::string>* left_out = nullptr);

/// The shortest decimal text that reads back as the number.
std::string shortest(double x);

/// The member of RankTimes for the part of MPI to which an operation such as "MPI_Waitall" belongs.
Column RankTimes::*part_of_operation(const std::string& name);

/// The profile of a run whose elapsed time is all that is known.
RunProfile profile_of_total(const std::string& program, int procs, int repetition,
                            double elapsed_s);

}  // namespace apmt
