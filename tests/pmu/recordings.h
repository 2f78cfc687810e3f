// Finds and reads the recordings of the emulated machine.
#pragma once

#include <string>
#include <vector>

#include "base/checked_json.h"
#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt::pmu {

/// The folder given by APMT_PMU_RESULTS. GoogleTest's discovery of tests cannot pass arguments, so
/// it comes from the environment.
std::string results_folder();

/// The recordings of one run, by rank: results/NAME of the machine BOOT.
std::vector<RawRecording> recordings(const std::string& boot, const std::string& name);
/// The same, folded.
RunProfile profile(const std::string& boot, const std::string& name);
/// The program's standard output.
std::string output(const std::string& boot, const std::string& name);

/// The doctor's report results/NAME.json.
Json doctor(const std::string& boot, const std::string& name);

/// The kernel of this name; an empty one if there is none.
KernelProfile kernel(const RunProfile& profile, const std::string& name);
/// Total of a counter; -1 if the kernel has none of this name.
double total(const KernelProfile& kernel, const std::string& metric);
std::uint64_t samples(const KernelProfile& kernel, const std::string& metric);
/// True when a note of the profile contains all of `parts`.
bool has_note(const RunProfile& profile, const std::vector<std::string>& parts);

}  // namespace apmt::pmu
