#include "kernels/loop_annotation.h"

#include <charconv>

namespace apmt::kernels {

bool LoopAnnotation::is_at(const std::string& path, std::uint32_t at_line) const {
  return at_line == line && (path == file || path.ends_with('/' + file));
}

void annotate(const std::vector<LoopAnnotation>& annotations, Program* program) {
  for (Loop& loop : program->loops)
    for (const LoopAnnotation& annotation : annotations)
      if (loop.site != kNone && annotation.is_at(program->name(program->sites[loop.site].file),
                                                 program->sites[loop.site].line))
        loop.annotation = annotation.says;
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
  if (found.file.starts_with("./")) found.file.erase(0, 2);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), found.line);
  if (found.says == Loop::kUnsaid || error != std::errc() || end != line.data() + line.size() ||
      found.line == 0)
    return std::nullopt;
  return found;
}

}  // namespace apmt::kernels
