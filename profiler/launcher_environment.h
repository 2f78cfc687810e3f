// Names of the environment variables from which a process learns to which launch it belongs and
// which rank it is. Launchers and batch systems set them; apmt sets APMT_RUN_ID. The recorder reads
// them in the ranks, the launching code in its own process.
#pragma once

#include <string.h>

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

/// The names of variables that Open MPI's launcher passes to other nodes, with semicolons between
/// them. The launcher refuses to start if its command also has options -x.
inline constexpr const char* kOpenMpiExports = "OMPI_MCA_mca_base_env_list";

/// Set if the command of `apmt record` does not show whether the launcher has options -x.
inline constexpr const char* kLauncherInScript = "APMT_LAUNCHER_IN_SCRIPT";

/// Whether this may be the file name of Open MPI's launcher: mpirun, mpirun.openmpi, orterun, ...
inline bool is_open_mpi_launcher(const char* name) {
  constexpr const char* kNames[] = {"mpirun", "mpiexec", "orterun", "prterun"};
  for (const char* const launcher : kNames) {
    const size_t length = strlen(launcher);
    if (strncmp(name, launcher, length) == 0 && (name[length] == '\0' || name[length] == '.'))
      return true;
  }
  return false;
}

}  // namespace apmt
