#include "kernels/runtime/settings.h"

#include <cstdlib>
#include <string_view>

#include "kernels/analysers/analyser_names.h"
#include "profiler/launcher_environment.h"

namespace apmt::kernels {
namespace {

std::vector<std::string> lines_of(const char* variable) {
  std::vector<std::string> lines;
  const char* value = std::getenv(variable);
  std::string_view rest = value ? value : "";
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end != 0) lines.emplace_back(rest.substr(0, end));
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return lines;
}

int rank_by_launcher() {
  for (const char* const* variable = kRankVariables; *variable; ++variable)
    if (const char* value = std::getenv(*variable)) return std::atoi(value);
  return -1;
}

}  // namespace

Settings settings_from_environment() {
  Settings settings;
  const char* folder = std::getenv(kFolderVariable);
  if (!folder) return settings;
  settings.folder = folder;
  settings.kernels = lines_of(kKernelsVariable);
  for (const std::string& line : lines_of(kLoopsVariable))
    if (const auto annotation = loop_annotation(line)) settings.annotations.push_back(*annotation);
  if (const std::vector<std::string> names = lines_of(kAnalysersVariable); !names.empty())
    settings.analysers = analysers_named(names);
  if (const char* rank = std::getenv(kRankVariable)) settings.analysed_rank = std::atoi(rank);
  const char* every = std::getenv(kEveryVariable);
  settings.skips_invocations = every == nullptr || *every == '\0';
  settings.rank = rank_by_launcher();
  return settings;
}

}  // namespace apmt::kernels
