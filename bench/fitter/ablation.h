// What each mechanism of the model (fitter/mechanisms.h) is worth: the same programs are predicted
// with all mechanisms, and with all but one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/fitter/paired.h"
#include "fitter/mechanisms.h"
#include "profile/run_profile.h"

namespace apmt::bench {

/// A case: a model is fitted to `learned` and predicts the points of `asked`.
struct AblationCase {
  std::string program;
  std::vector<RunProfile> learned;
  std::vector<RunProfile> asked;
};

struct AblationSet {
  std::string name;
  std::vector<AblationCase> cases;
};

/// A mechanism that changes predicted times. (Mechanisms::shared_costs is not one: it changes only
/// how kernels' times are divided into computation and memory. verdicts.cpp compares the stated
/// bounds with and without it.)
struct Mechanism {
  const char* name;
  bool Mechanisms::*is_on;
};
const std::vector<Mechanism>& all_mechanisms();

AblationSet planted_set(const std::string& campaign, int programs, unsigned long seed);
/// The programs of tests/unit/fitter/failing_programs.h, which were once predicted badly, each with
/// `draws` draws of noise.
AblationSet failing_set(int draws);
AblationSet published_set(std::size_t trained);
/// Recordings made by bench/virtual/series.sh. Models are fitted to the runs in `dir`/NAME and
/// predict those in `dir`/NAME.large. With `one_more`, they are also fitted to the runs there at the
/// smallest process count, and programs with a single count there are left out.
AblationSet recorded_set(const std::filesystem::path& dir, bool one_more);

/// Fits and predicts every case with these mechanisms.
std::vector<Judged> judge(const AblationSet& set, const Mechanisms& mechanisms);

}  // namespace apmt::bench
