#include "kernels/loop_annotation.h"

#include <charconv>

namespace apmt::kernels {

bool LoopAnnotation::is_about(const Program& program, const Loop& loop) const {
  if (loop.site == kNone || program.sites[loop.site].line != line) return false;
  const std::string& path = program.name(program.sites[loop.site].file);
  return path == file || path.ends_with('/' + file);
}

std::optional<LoopAnnotation> loop_annotation(std::string_view text) {
  const std::size_t space = text.find(' '), colon = text.rfind(':');
  if (space == std::string_view::npos || colon == std::string_view::npos || colon < space + 2)
    return std::nullopt;
  LoopAnnotation found;
  const std::string_view says = text.substr(0, space), line = text.substr(colon + 1);
  if (says == "parallel") found.says = Loop::kParallel;
  if (says == "sequential") found.says = Loop::kSequential;
  found.file = text.substr(space + 1, colon - space - 1);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), found.line);
  if (found.says == Loop::kUnsaid || error != std::errc() || end != line.data() + line.size() ||
      found.line == 0)
    return std::nullopt;
  return found;
}

}  // namespace apmt::kernels
