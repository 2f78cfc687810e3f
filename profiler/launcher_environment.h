// The variables in which launchers tell a process its rank: the recorder reads it there, the
// launching side whether it is a rank itself.
#pragma once

namespace apmt {

inline constexpr const char* kRankVariables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK", "SLURM_PROCID",
    "FLUX_TASK_RANK",       "ALPS_APP_PE", nullptr};

}  // namespace apmt
