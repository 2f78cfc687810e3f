#include "profiler/runtime/environment.h"

#include <ctype.h>
#include <stdio.h>
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

/// Field 22 of /proc/<pid>/stat: when the process started. With the pid it names the process for
/// good.
uint64_t start_ticks(pid_t pid) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(pid));
  char text[1024];
  if (read_small_file(path, text, sizeof text) == 0) return 0;
  const char* at = strrchr(text, ')');  // the command's name may contain anything
  for (int field = 2; at != nullptr && field < 22; ++field) at = strchr(at + 1, ' ');
  return at == nullptr ? 0 : strtoull(at, nullptr, 10);
}

void keep_file_name_characters(char* text) {
  for (; *text != '\0'; ++text)
    if (!isalnum(static_cast<unsigned char>(*text)) && *text != '-' && *text != '_') *text = '_';
}

}  // namespace

int launcher_rank() { return first_number(kRankVariables); }

int launcher_size() {
  const char* const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                               "FLUX_JOB_SIZE", nullptr};
  return first_number(names);
}

int launcher_local_size() {
  const char* const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE",
                               nullptr};
  return first_number(names);
}

void launch_id(char* out, size_t capacity) {
  if (const char* id = env("APMT_RUN_ID")) {
    snprintf(out, capacity, "%s", id);
  } else if (const char* job = env("SLURM_JOB_ID");
             job != nullptr && env("SLURM_STEP_ID") != nullptr) {
    snprintf(out, capacity, "slurm-%s-%s", job, env("SLURM_STEP_ID"));
  } else if (const char* space = env("PMIX_NAMESPACE")) {
    snprintf(out, capacity, "pmix-%s", space);
  } else if (const char* flux = env("FLUX_JOB_ID")) {
    snprintf(out, capacity, "flux-%s", flux);
  } else {
    // A rank without a job's name shares its parent, the launcher's proxy, with its neighbours.
    const pid_t pid = launcher_rank() >= 0 ? getppid() : getpid();
    snprintf(out, capacity, "pid-%d-%llu", static_cast<int>(pid),
             static_cast<unsigned long long>(start_ticks(pid)));
  }
  keep_file_name_characters(out);
}

}  // namespace apmt::rt
