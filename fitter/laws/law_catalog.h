// The laws that a count may follow, read from configs/laws.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fitter/laws/law.h"

namespace apmt {

/// A law with free coefficients. Each coefficient multiplies one column, which is a fixed
/// combination of terms.
struct Candidate {
  std::vector<std::vector<LawTerm>> columns;
  double complexity = 0;  // -ln of the prior, up to a constant
  bool of_grid = false;   // follows a process grid: for messages between neighbours
  bool of_rows = false;   // collectives on the rows and columns of the grid follow it, too
  int free_numbers() const { return static_cast<int>(columns.size()); }
};

struct LawCatalog {
  std::vector<Candidate> in_procs;           // laws in P
  std::vector<Candidate> in_procs_and_work;  // the same laws times powers of D
  /// An exponential is tried only if the relative residual of the best other law is larger than
  /// this; 0: never.
  double exponential_when_worse_than = 0;
};

/// Reads `configs`/laws.yaml. Throws InputError naming the file and the place.
LawCatalog read_law_catalog(const std::filesystem::path& configs);

}  // namespace apmt
