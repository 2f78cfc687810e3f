// The variables by which launchers tell a process who it is: the recorder reads them there, the
// launching side its own.
#pragma once

namespace apmt {

/// Its rank.
inline constexpr const char* kRankVariables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",          "PMI_RANK",    "PALS_RANKID", "SLURM_PROCID",
    "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "ALPS_APP_PE", nullptr};

/// The launch, or the job it is part of. A recording keeps each as `id.NAME`; which of them decides
/// is settled offline (campaign/launch_identity.h).
inline constexpr const char* kIdentityVariables[] = {"APMT_RUN_ID",
                                                     "PMIX_NAMESPACE",
                                                     "OMPI_MCA_orte_hnp_uri",
                                                     "OMPI_MCA_ess_base_jobid",
                                                     "PMI_JOBID",
                                                     "PALS_APID",
                                                     "FLUX_JOB_ID",
                                                     "ALPS_APP_ID",
                                                     "PBS_JOBID",
                                                     "SLURM_JOB_ID",
                                                     "SLURM_STEP_ID",
                                                     "SLURM_PROCID",
                                                     "SLURM_STEP_NUM_TASKS",
                                                     "LSB_JOBID",
                                                     "COBALT_JOBID",
                                                     "PJM_JOBID",
                                                     nullptr};

}  // namespace apmt
