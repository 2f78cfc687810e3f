// What callgrind wrote about one rank: how often each function caused each simulated event.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace apmt {

/// A function as callgrind names it: calls to others are not part of its costs, what was inlined
/// into it is.
struct CallgrindFunction {
  std::string object;  // path as loaded
  std::string name;    // linkage name; "0x..." where the object has no symbol
  std::string source;  // path, empty when unknown
  auto operator<=>(const CallgrindFunction&) const = default;
};

struct CallgrindProfile {
  int rank = 0;
  int ranks = 1;
  std::uint64_t window_calls = 0;   // calls that made up the window; 0: the whole run was counted
  std::vector<std::string> events;  // "Ir", "Dr", ...
  std::map<CallgrindFunction, std::vector<std::uint64_t>> costs;  // by event, as many as `events`
  std::vector<std::uint64_t> totals;                              // as callgrind summed them up
};

/// Reads a dump that the recorder asked for (its label says which rank). Throws InputError naming
/// file and line when it is none, was cut off, or does not add up.
CallgrindProfile read_callgrind_file(const std::filesystem::path& path);

}  // namespace apmt
