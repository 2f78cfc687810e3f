// What differs between batch systems: how a script says what it needs, and how it is submitted.
// docs/job-scripts.md names the manual page of everything that is written here; a test holds both
// together.
#pragma once

#include <string>
#include <vector>

namespace apmt {

enum class BatchSystem { kSlurm, kPbs, kLsf, kFlux };

struct BatchDialect {
  using Lines = std::vector<std::string>;  // directives without their prefix

  const char* prefix;  // of a directive
  /// A job's name; with elements > 0 also that it is an array with elements 1 to that number.
  Lines (*name)(const std::string& job, int elements);
  Lines (*output)(const std::string& file);
  Lines (*ranks)(int ranks, int per_node);
  const char* element;      // variable that tells an element of an array which one it is; null: no
                            // arrays
  const char* element_tag;  // stands for that number in the name of an output file
  const char* submit;       // shell function: prints the id of a script's job
  const char* after_all;    // shell function: submits a script that waits for the jobs $2...
};

const BatchDialect& batch_dialect(BatchSystem system);

/// What every batch system takes for a job's name: some end it at 15 characters, some want a letter
/// first, and none a blank or a quote.
std::string batch_job_name(const std::string& job, const std::string& experiment);

}  // namespace apmt
