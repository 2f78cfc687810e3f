#include "kernels/runtime/part.h"

#include <unistd.h>

#include <string>

namespace apmt::kernels {

void write_part(const Settings& settings, const Analysis& analysis) {
  const std::string who =
      settings.rank < 0 ? 'p' + std::to_string(::getpid()) : std::to_string(settings.rank);
  write_analysis(analysis, settings.folder + "/part-" + who + ".json");
}

}  // namespace apmt::kernels
