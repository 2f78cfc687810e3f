// Names of the environment variables from which a process learns to which launch it belongs and
// which rank it is. Launchers and batch systems set them; apmt sets APMT_RUN_ID. The recorder reads
// them in the ranks, the launching code in its own process.
#pragma once

namespace apmt {

/// Variables that hold the rank of the process.
inline constexpr const char* kRankVariables[] = {
    "OMPI_COMM_WORLD_RANK", "PMIX_RANK",          "PMI_RANK",    "PALS_RANKID", "SLURM_PROCID",
    "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "ALPS_APP_PE", nullptr};

/// Variables that identify the launch or its job, or show whether Slurm's variables belong to this
/// process. A recording keeps each as `id.NAME`; code outside the profiled program decides later
/// which of them to use (campaign/store/launch_identity.h).
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
