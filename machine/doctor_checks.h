// The checks of the doctor, grouped by subject.
#pragma once

#include "machine/cpu_identity.h"
#include "machine/doctor.h"

namespace apmt {

Check check_processor(const Surroundings& around, const CpuIdentity& cpu);
Check check_binding(const Surroundings& around);
Check check_disk(const Surroundings& around);
Check check_frequency(const Surroundings& around);
Check check_libraries(const Surroundings& around);

Check check_counters(const PerfAccess& access);
Check check_sampling(const Surroundings& around, const PerfAccess& access);
/// Checks which metrics of the counter map can be counted; adds their names to `counted`.
Check check_events(const ChosenMap& chosen, const PerfAccess& access,
                   std::vector<std::string>* counted);

/// One check for each MPI, or a bad one if no MPI was found.
std::vector<Check> check_mpi(const Surroundings& around);

}  // namespace apmt
