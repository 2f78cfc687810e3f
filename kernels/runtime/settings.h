// What apmt analyze tells the program, by environment variables; layout of the parts that come
// back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/analysers/all.h"

namespace apmt::kernels {

inline constexpr const char* kFolderVariable = "APMT_ANALYZE_DIR";
inline constexpr const char* kKernelsVariable = "APMT_ANALYZE_KERNELS";  // names, one a line
inline constexpr const char* kAnalysersVariable = "APMT_ANALYZE_WITH";   // names, one a line
inline constexpr const char* kRankVariable = "APMT_ANALYZE_RANK";

struct Settings {
  std::string folder;  // where the part of this process goes; empty: nothing is analysed
  std::vector<std::string> kernels;
  std::optional<AnalyserChoice> analysers;  // nothing: blocks are counted, and that is all
  int analysed_rank = 0;
  int rank = -1;  // of this process, as its launcher says; -1: no launcher says one

  /// Whether this process writes events; others count their blocks.
  bool is_analysed() const { return analysers && (rank < 0 || rank == analysed_rank); }
};

Settings settings_from_environment();

}  // namespace apmt::kernels
