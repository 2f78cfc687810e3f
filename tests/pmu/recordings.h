// Finds and reads the recordings that were made on the emulated machine.
#pragma once

#include <string>
#include <vector>

#include "base/checked_json.h"
#include "profile/run_profile.h"
#include "profiler/reader/raw_recording.h"

namespace apmt::pmu {

/// The folder that the environment variable APMT_PMU_RESULTS names. A variable is used because
/// GoogleTest cannot pass arguments while it lists tests.
std::string results_folder();

/// The recordings of one run, sorted by rank. run.sh boots the machine several times; the
/// recordings are in the folder results/`name` of the boot named `boot`.
std::vector<RawRecording> recordings(const std::string& boot, const std::string& name);
/// The profile of the same run.
RunProfile profile(const std::string& boot, const std::string& name);
/// The standard output of the program in the same run.
std::string output(const std::string& boot, const std::string& name);

/// The report of apmt doctor in results/NAME.json.
Json doctor(const std::string& boot, const std::string& name);

/// The kernel of this name; an empty one if there is none.
KernelProfile kernel(const RunProfile& profile, const std::string& name);
/// The total of a counter; -1 if the kernel has no counter of this name.
double total(const KernelProfile& kernel, const std::string& metric);
std::uint64_t samples(const KernelProfile& kernel, const std::string& metric);
/// True when a note of the profile contains all of `parts`.
bool has_note(const RunProfile& profile, const std::vector<std::string>& parts);

}  // namespace apmt::pmu
