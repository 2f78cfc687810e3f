#include "campaign/batch/batch_dialect.h"

#include <algorithm>
#include <cctype>

namespace apmt {
namespace {

using Lines = BatchDialect::Lines;

int nodes(int ranks, int per_node) { return (ranks + per_node - 1) / per_node; }

// Directives and commands of sbatch(1).
const BatchDialect kSlurm{
    "#SBATCH ",
    [](const std::string& job, int elements) {
      Lines lines = {"--job-name=" + job};
      if (elements > 0) lines.push_back("--array=1-" + std::to_string(elements));
      return lines;
    },
    [](const std::string& file) { return Lines{"--output=" + file}; },
    [](int ranks, int per_node) {
      Lines lines = {"--ntasks=" + std::to_string(ranks)};
      if (per_node > 0)
        lines.push_back("--ntasks-per-node=" + std::to_string(std::min(ranks, per_node)));
      return lines;
    },
    "SLURM_ARRAY_TASK_ID",
    "%a",
    "submit() { sbatch --parsable \"$1\" | cut -d';' -f1; }",
    "submit_after() { local script=$1; shift; local IFS=:; sbatch --dependency=afterok:\"$*\" "
    "\"$script\"; }"};

// qsub(1B) in PBS Professional and OpenPBS. A job array must have more than one element.
const BatchDialect kPbs{
    "#PBS ",
    [](const std::string& job, int elements) {
      Lines lines = {"-N " + job};
      if (elements > 0) lines.push_back("-J 1-" + std::to_string(elements));
      return lines;
    },
    [](const std::string& file) { return Lines{"-j oe", "-o " + file}; },
    [](int ranks, int per_node) {
      const int each = per_node > 0 ? std::min(ranks, per_node) : 1;
      std::string select = "-l select=" + std::to_string(ranks / each) +
                           ":ncpus=" + std::to_string(each) + ":mpiprocs=" + std::to_string(each);
      if (const int rest = ranks % each; rest > 0)
        select += "+1:ncpus=" + std::to_string(rest) + ":mpiprocs=" + std::to_string(rest);
      Lines lines = {select};
      if (per_node > 0) lines.push_back("-l place=scatter");  // one chunk per node
      return lines;
    },
    "PBS_ARRAY_INDEX",
    "^array_index^",
    "submit() { qsub \"$1\"; }",
    "submit_after() { local script=$1; shift; local IFS=:; qsub -W depend=afterok:\"$*\" "
    "\"$script\"; }"};

// bsub(1)
const BatchDialect kLsf{
    "#BSUB ",
    [](const std::string& job, int elements) {
      if (elements == 0) return Lines{"-J " + job};
      return Lines{"-J \"" + job + "[1-" + std::to_string(elements) + "]\""};
    },
    [](const std::string& file) { return Lines{"-o " + file}; },
    [](int ranks, int per_node) {
      Lines lines = {"-n " + std::to_string(ranks)};
      if (per_node > 0)
        lines.push_back("-R \"span[ptile=" + std::to_string(std::min(ranks, per_node)) + "]\"");
      return lines;
    },
    "LSB_JOBINDEX",
    "%I",
    "submit() { bsub <\"$1\" | sed -n 's/^Job <\\([0-9]*\\)>.*/\\1/p'; }",
    "submit_after() { local script=$1 condition='' id; shift\n"
    "  for id in \"$@\"; do condition+=\"${condition:+ && }done($id)\"; done\n"
    "  bsub -w \"$condition\" <\"$script\"; }"};

// flux-batch(1). Each job starts a scheduler of its own; there are no job arrays.
const BatchDialect kFlux{"#flux: ",
                         [](const std::string& job, int) { return Lines{"--job-name=" + job}; },
                         [](const std::string& file) { return Lines{"--output=" + file}; },
                         [](int ranks, int per_node) {
                           Lines lines = {"--nslots=" + std::to_string(ranks)};
                           if (per_node > 0)
                             lines.push_back("--nodes=" + std::to_string(nodes(ranks, per_node)));
                           return lines;
                         },
                         nullptr,
                         "",
                         "submit() { flux batch \"$1\"; }",
                         "submit_after() { local script=$1 dependencies=() id; shift\n"
                         "  for id in \"$@\"; do dependencies+=(\"--dependency=afterok:$id\"); "
                         "done\n"
                         "  flux batch \"${dependencies[@]}\" \"$script\"; }"};

}  // namespace

const BatchDialect& batch_dialect(BatchSystem system) {
  switch (system) {
    case BatchSystem::kSlurm:
      return kSlurm;
    case BatchSystem::kPbs:
      return kPbs;
    case BatchSystem::kLsf:
      return kLsf;
    case BatchSystem::kFlux:
      break;
  }
  return kFlux;
}

std::string batch_job_name(const std::string& job, const std::string& experiment) {
  constexpr std::size_t kMostCharacters = 15;
  std::string name = job + "-" + experiment;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.')
      c = '_';
  return name.substr(0, kMostCharacters);
}

}  // namespace apmt
