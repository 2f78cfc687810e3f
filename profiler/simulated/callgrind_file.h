// What callgrind wrote about a process, which is one rank or, on a simulated cluster, all of them:
// how often each function caused each simulated event.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace apmt {

/// A function as callgrind names it. Its costs include functions inlined into it, but not calls to
/// others.
struct CallgrindFunction {
  std::string object;  // path as loaded
  std::string name;    // linkage name; "0x..." where the object has no symbol
  std::string source;  // path, empty when unknown
  auto operator<=>(const CallgrindFunction&) const = default;
};

struct CallgrindProfile {
  int rank = 0;
  int ranks = 1;
  bool is_of_all_ranks = false;     // they share the process
  std::uint64_t window_calls = 0;   // calls that made up the window; 0: the whole run was counted
  std::vector<std::string> events;  // "Ir", "Dr", ...
  std::map<CallgrindFunction, std::vector<std::uint64_t>> costs;  // one per event
  std::vector<std::uint64_t> totals;                              // the sums that callgrind wrote
};

/// Reads a dump that the recorder requested (its label contains the rank). Throws InputError that
/// names file and line if it is no such dump, is cut off, or its sums are wrong.
CallgrindProfile read_callgrind_file(const std::filesystem::path& path);

}  // namespace apmt
