// How batch systems differ: how a script requests resources, and how it is submitted.
// docs/job-scripts.md lists every directive used here, with its manual page; a test compares the
// two lists.
#pragma once

#include <string>
#include <vector>

namespace apmt {

enum class BatchSystem { kSlurm, kPbs, kLsf, kFlux };

struct BatchDialect {
  using Lines = std::vector<std::string>;  // directives without the prefix

  const char* prefix;  // what each directive begins with
  /// The directives for a job's name and, if `elements` > 0, for a job array with that many
  /// elements.
  Lines (*name)(const std::string& job, int elements);
  Lines (*output)(const std::string& file);
  Lines (*ranks)(int ranks, int per_node);
  const char* element;      // environment variable with the element's number; null: no arrays
  const char* element_tag;  // stands for this number in the name of an output file
  const char* submit;       // shell function: submits a script and prints the id of its job
  const char* after_all;    // shell function: submits a script that waits for the jobs $2...
};

const BatchDialect& batch_dialect(BatchSystem system);

/// A job name that every batch system accepts: at most 15 characters, with `_` in place of blanks,
/// quotes and the like. `job` must begin with a letter.
std::string batch_job_name(const std::string& job, const std::string& experiment);

}  // namespace apmt
