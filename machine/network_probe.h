// Measuring the network as a program of the user's own MPI.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

struct NetworkOptions {
  std::vector<std::string> launcher;  // "mpirun -np 4 --hostfile h"; the program is put behind it
  std::filesystem::path compiler;     // the MPI's own; empty: found from the launcher
  std::filesystem::path probes;       // folder of the source
  std::string search_path;            // PATH
  int timeout_s = 600;
};

/// Compiles the probe, runs it, and puts what it found into `profile`. Throws InputError.
void probe_network(const NetworkOptions& options, MachineProfile* profile);

/// What the probe printed. Throws InputError when it is not whole.
void read_probe_output(const std::string& text, MachineProfile* profile);

}  // namespace apmt
