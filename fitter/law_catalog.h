// The hypothesis set: which laws a count may follow, read from configs/laws.yaml.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fitter/law.h"

namespace apmt {

/// A law whose coefficients are still free: one per column, each a fixed combination of terms.
struct Candidate {
  std::vector<std::vector<LawTerm>> columns;
  double complexity = 0;  // -ln prior, up to a constant
  bool of_grid = false;   // of a process grid: for messages between neighbours only
  int free_numbers() const { return static_cast<int>(columns.size()); }
};

struct LawCatalog {
  std::vector<Candidate> in_procs;           // laws in P
  std::vector<Candidate> in_procs_and_work;  // the same with powers of D
  double exponential_when_worse_than = 0;    // 0: never
};

/// Reads `configs`/laws.yaml. Throws InputError naming the file and the line.
LawCatalog read_law_catalog(const std::filesystem::path& configs);

}  // namespace apmt
