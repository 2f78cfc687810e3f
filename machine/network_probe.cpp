#include "machine/network_probe.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "base/input_error.h"
#include "base/temporary_folder.h"
#include "machine/hockney.h"
#include "machine/mpi_installation.h"
#include "machine/repeat.h"
#include "machine/subprocess.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// The C compiler of the launcher's MPI.
fs::path compiler_for(const NetworkOptions& options) {
  if (!options.compiler.empty()) return options.compiler;
  const std::string launcher = fs::path(options.launcher.front()).filename().string();
  if (launcher == "smpirun") return "smpicc";
  const std::string family = mpi_family_of_launcher(options.launcher.front());
  for (const MpiInstallation& mpi : find_mpi(options.search_path))
    if ((family.empty() || mpi.family == family) && !mpi.c_compiler.empty()) return mpi.c_compiler;
  throw InputError(options.launcher.front(), "no C compiler of its MPI found",
                   "name it: --compiler mpicc");
}

/// The end of a program's output, where its error message is.
std::string tail(const std::string& text) {
  constexpr std::size_t kMost = 600;
  return text.size() <= kMost ? text : "... " + text.substr(text.size() - kMost);
}

/// How closely lines must fit the times: about as closely as repeated measurements agree.
double tolerance_for(const std::vector<std::pair<double, Figure>>& times_s) {
  std::vector<double> spreads;
  for (const auto& [bytes, time] : times_s) spreads.push_back(time.spread);
  return std::clamp(3 * summarise(spreads).value, 0.02, 0.1);
}

[[noreturn]] void not_understood(const std::string& line) {
  throw InputError("network probe", "printed an unexpected line: " + line,
                   "does the launcher start the program once, with all ranks?", ExitCode::kFailed);
}

}  // namespace

std::pair<std::size_t, std::size_t> probe_progress(const std::string& text) {
  std::size_t done = 0;
  std::size_t total = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "steps") words >> total;
    if (kind == "p2p" || kind == "overlap" || kind == "coll") ++done;
  }
  return {done, total};
}

void read_probe_output(const std::string& text, MachineProfile* profile) {
  std::map<std::string, Network> networks;
  bool is_whole = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "mpi") {
      std::getline(words >> std::ws, profile->mpi);
    } else if (kind == "p2p") {
      std::string scope;
      double bytes = 0, time = 0, spread = 0;
      if (!(words >> scope >> bytes >> time >> spread) || !(time > 0)) not_understood(line);
      networks[scope].times_s.push_back({bytes, {time, spread}});
    } else if (kind == "overlap") {
      std::string scope;
      Figure share;
      if (!(words >> scope >> share.value >> share.spread)) not_understood(line);
      networks[scope].overlap = share;
    } else if (kind == "coll") {
      CollectiveTime one;
      if (!(words >> one.op >> one.procs >> one.bytes >> one.time_s.value >> one.time_s.spread))
        not_understood(line);
      profile->collectives.push_back(one);
    } else if (kind == "end") {
      is_whole = true;
    }
  }
  if (!is_whole)
    throw InputError("network probe", "did not finish; it printed: " + tail(text), "",
                     ExitCode::kFailed);
  for (auto& [scope, network] : networks) {
    network.scope = scope;
    network.pieces = fit_hockney(network.times_s, tolerance_for(network.times_s));
    profile->networks.push_back(network);
  }
}

void probe_network(const NetworkOptions& options, MachineProfile* profile) {
  const fs::path compiler = compiler_for(options);
  // The program is compiled in the working directory, not in /tmp, because all nodes must see it.
  const TemporaryFolder folder(fs::current_path());
  const fs::path program = folder.path() / "network";
  const Finished compiled = run_command({{compiler.string(), "-O2", "-o", program.string(),
                                          (options.probes / "network.c").string(), "-lm"},
                                         {},
                                         {},
                                         120});
  if (!compiled.ok())
    throw InputError(compiler.string(),
                     "cannot compile the network probe: " + tail(compiled.output),
                     "name this MPI's compiler: --compiler mpicc", ExitCode::kFailed);
  std::vector<std::string> words = options.launcher;
  words.push_back(program.string());
  Command command{words, {}, {}, options.timeout_s, true};
  if (options.on_progress)
    command.on_output = [&](const std::string& text) {
      const auto [done, total] = probe_progress(text);
      options.on_progress(done, total);
    };
  const Finished ran = run_command(command);
  if (ran.timed_out)
    throw InputError(
        options.launcher.front(),
        "the network probe did not end within " + std::to_string(options.timeout_s) + " s",
        "use fewer ranks, or a larger --timeout", ExitCode::kFailed);
  if (ran.exit_code != 0)
    throw InputError(
        options.launcher.front(),
        "ended with exit code " + std::to_string(ran.exit_code) + ": " + tail(ran.output),
        "the command must start an MPI program when the program's name is appended",
        ExitCode::kFailed);
  read_probe_output(ran.output, profile);
  if (compiler.filename().string().rfind("smpi", 0) == 0) profile->provenance = "virtual";
}

}  // namespace apmt
