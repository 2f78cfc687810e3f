// Reads the file that callgrind writes for a process: how often each function caused each simulated
// event. The process is one rank or, on a simulated cluster, all ranks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace apmt {

/// A function as callgrind names it. Its costs include functions that were inlined into it, but not
/// functions that it calls.
struct CallgrindFunction {
  std::string object;  // path as loaded
  std::string name;    // linkage name; "0x..." where the object has no symbol
  std::string source;  // path, empty when unknown
  auto operator<=>(const CallgrindFunction&) const = default;
};

struct CallgrindProfile {
  int rank = 0;
  int ranks = 1;
  bool is_of_all_ranks = false;     // all ranks share the process
  std::uint64_t window_calls = 0;   // length of the window in calls; 0: the whole run was counted
  std::vector<std::string> events;  // "Ir", "Dr", ...
  std::map<CallgrindFunction, std::vector<std::uint64_t>> costs;  // one per event
  std::vector<std::uint64_t> totals;                              // the sums that callgrind wrote
};

/// Reads a dump that the recorder requested; its label says of which rank it is, or that it is of
/// all ranks. Throws an InputError that names file and line if the file is no such dump, is cut
/// off, or has wrong sums.
CallgrindProfile read_callgrind_file(const std::filesystem::path& path);

}  // namespace apmt
