// Measures the network with a program compiled for the user's MPI.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "machine/machine_profile.h"

namespace apmt {

struct NetworkOptions {
  std::vector<std::string> launcher;  // "mpirun -np 4 --hostfile h"; the program is appended
  std::filesystem::path compiler;     // of the same MPI; empty: found from the launcher
  std::filesystem::path probes;       // folder of the source
  std::string search_path;            // PATH
  int timeout_s = 600;
  std::function<void(std::size_t, std::size_t)> on_progress = {};  // called with (done, total)
};

/// Compiles the probe, runs it, and stores its figures in `profile`. Throws InputError.
void probe_network(const NetworkOptions& options, MachineProfile* profile);

/// Progress of the probe, from its output so far: (done, total); total is 0 until it is known.
std::pair<std::size_t, std::size_t> probe_progress(const std::string& text);

/// Reads the output of the probe. Throws InputError when it is incomplete.
void read_probe_output(const std::string& text, MachineProfile* profile);

}  // namespace apmt
