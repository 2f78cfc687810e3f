// What the user says about a loop, which overrides what a run shows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/program.h"

namespace apmt::kernels {

/// As text: "parallel FILE:LINE" or "sequential FILE:LINE".
struct LoopAnnotation {
  Loop::Annotation says = Loop::kUnsaid;
  std::string file;  // or the end of its path
  std::uint32_t line = 0;

  bool is_at(const std::string& path, std::uint32_t at_line) const;
};
/// nullopt: the text is not an annotation.
std::optional<LoopAnnotation> loop_annotation(std::string_view text);

/// Sets the annotations of the program's loops.
void annotate(const std::vector<LoopAnnotation>& annotations, Program* program);

}  // namespace apmt::kernels
