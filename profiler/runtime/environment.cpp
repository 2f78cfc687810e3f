#include "profiler/runtime/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/launcher_environment.h"
#include "profiler/runtime/small_file.h"

namespace apmt::rt {

const char* const kRecordedVariables[] = {"OMP_NUM_THREADS",
                                          "OMP_PROC_BIND",
                                          "OMP_PLACES",
                                          "OMP_WAIT_POLICY",
                                          "GOMP_SPINCOUNT",
                                          "MKL_NUM_THREADS",
                                          "OPENBLAS_NUM_THREADS",
                                          "SLURM_JOB_ID",
                                          "SLURM_STEP_ID",
                                          "SLURM_NNODES",
                                          "SLURM_CPUS_PER_TASK",
                                          "SLURM_CPU_FREQ_REQ",
                                          "PBS_JOBID",
                                          "LSB_JOBID",
                                          "FLUX_JOB_ID",
                                          "OMPI_COMM_WORLD_SIZE",
                                          "OMPI_COMM_WORLD_LOCAL_SIZE",
                                          "PMI_SIZE",
                                          "I_MPI_PIN_DOMAIN",
                                          "APMT_VERSION",
                                          "GITHUB_SHA",
                                          "CI_COMMIT_SHA",
                                          nullptr};

const char* env(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

int64_t env_number(const char* name, int64_t otherwise) {
  const char* value = env(name);
  if (value == nullptr) return otherwise;
  char* end = nullptr;
  const long long number = strtoll(value, &end, 10);
  return end == value || *end != '\0' || number < 0 ? otherwise : number;
}

namespace {

int first_number(const char* const* names) {
  for (; *names != nullptr; ++names) {
    const int64_t n = env_number(*names, -1);
    if (n >= 0 && n <= INT32_MAX) return static_cast<int>(n);
  }
  return -1;
}

}  // namespace

int launcher_rank() { return first_number(kRankVariables); }

int launcher_size() {
  const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",           "SLURM_STEP_NUM_TASKS",
                               "FLUX_JOB_SIZE",        "JSM_NAMESPACE_SIZE", nullptr};
  return first_number(names);
}

int launcher_local_size() {
  const char* const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE",
                               nullptr};
  return first_number(names);
}

bool all_on_this_node() {
  static const bool all_here = launcher_size() == 1 || (launcher_local_size() > 0 &&
                                                        launcher_local_size() == launcher_size());
  return all_here;
}

void make_way_for_exports(const char* exe) {
  const char* const slash = strrchr(exe, '/');
  if (slash == nullptr || !is_open_mpi_launcher(slash + 1) || env(kLauncherInScript) == nullptr)
    return;
  char words[16384];
  const size_t bytes = read_small_file("/proc/self/cmdline", words, sizeof words);
  for (size_t i = strlen(words) + 1; i < bytes; i += strlen(words + i) + 1) {
    const char* const word = words + i;
    if (strcmp(word, "-x") == 0) unsetenv(kOpenMpiExports);
    // The program ends the options; hosts' files and the like cannot be executed.
    if (word[0] != '-' && strchr(word, '/') != nullptr && access(word, X_OK) == 0) return;
  }
}

bool cores_are_shared() {
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  return cpus > 0 && launcher_local_size() > cpus;
}

}  // namespace apmt::rt
