#include "fitter/runs/hub.h"

#include <algorithm>

namespace apmt {

bool has_hub(const RunProfile& run) { return run.communication.pattern.kind == "master-worker"; }

bool have_hub(const std::vector<RunProfile>& runs) {
  return !runs.empty() && std::all_of(runs.begin(), runs.end(), has_hub);
}

}  // namespace apmt
