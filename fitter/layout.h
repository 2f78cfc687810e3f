// Where the processes of a run were and how fast its cores ran: runs that differ in it have
// different times at one process count.
#pragma once

#include <optional>
#include <string>

#include "profile/run_profile.h"

namespace apmt {

struct Layout {
  int nodes = 1;
  int ranks_per_node = 0;  // of the fullest node; 0: not known
  int threads_per_rank = 1;
  std::optional<double> frequency_hz = {};  // as measured; absent: not known
};

Layout layout_of(const RunConfig& config);

/// The order of runs with one process count and size: by everything but what was measured.
bool is_before(const Layout& a, const Layout& b);

/// Frequencies are measured: they are the same up to 5 %, and one that is not known is like any.
bool is_like(const Layout& a, const Layout& b);

/// "2 nodes, 8 processes on the fullest, 4 threads each, 2.4 GHz": what says something of it.
std::string words(const Layout& layout);

}  // namespace apmt
