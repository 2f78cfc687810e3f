// The settings that apmt analyze passes to the program in environment variables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/analysers/all.h"
#include "kernels/loop_annotation.h"

namespace apmt::kernels {

inline constexpr const char* kFolderVariable = "APMT_ANALYZE_DIR";
inline constexpr const char* kKernelsVariable = "APMT_ANALYZE_KERNELS";  // names, one a line
inline constexpr const char* kAnalysersVariable = "APMT_ANALYZE_WITH";   // names, one a line
inline constexpr const char* kLoopsVariable = "APMT_ANALYZE_LOOPS";  // LoopAnnotation, one a line
inline constexpr const char* kRankVariable = "APMT_ANALYZE_RANK";
inline constexpr const char* kEveryVariable =
    "APMT_ANALYZE_EVERY";  // not empty: skips_invocations = false

struct Settings {
  std::string folder;  // where this process writes its file (part.h); empty: nothing is analysed
  std::vector<std::string> kernels;
  std::vector<LoopAnnotation> annotations;
  std::optional<AnalyserChoice> analysers;  // nullopt: blocks are only counted
  bool skips_invocations = true;            // see followed_invocations.h
  int analysed_rank = 0;
  int rank = -1;  // of this process, from its launcher; -1: there is none

  /// Whether this process writes events; others only count their blocks.
  bool is_analysed() const { return analysers && (rank < 0 || rank == analysed_rank); }
};

Settings settings_from_environment();

}  // namespace apmt::kernels
