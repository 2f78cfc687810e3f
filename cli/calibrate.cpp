// apmt calibrate: measures this machine and writes a machine profile.

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/search_path.h"
#include "base/temporary_folder.h"
#include "base/words.h"
#include "campaign/virtual/virtual_cluster.h"
#include "cli/arguments.h"
#include "cli/calibrate_device.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/progress.h"
#include "cli/verbs.h"
#include "machine/core_probe.h"
#include "machine/cpu_identity.h"
#include "machine/memory_probe.h"
#include "machine/named_file.h"
#include "machine/network_probe.h"
#include "machine/repeat.h"
#include "machine/topology.h"
#include "machine/yaml_json.h"
#include "reports/render.h"

namespace apmt {
namespace {

constexpr const char* kCalibrateFooter =
    "Examples:\n"
    "  apmt calibrate                                memory and cores of this node\n"
    "  apmt calibrate -- mpirun -np 4                and its MPI\n"
    "  salloc -N 2 apmt calibrate --no-memory -o net.yaml -- srun -n 8\n"
    "  apmt calibrate --virtual ethernet-10g --procs 64      a simulated cluster\n"
    "  apmt calibrate --show machine.yaml            print a profile or a card again\n"
    "  apmt calibrate --device cpu -o card.yaml      a card for apmt match\n"
    "  apmt calibrate --device opencl:1              the card of an OpenCL device\n"
    "\n"
    "Give your launcher without a program: apmt compiles a small one with that MPI's compiler\n"
    "and appends it. Run nothing else meanwhile.";

struct CalibrateArguments {
  std::filesystem::path output;
  std::string device;
  double largest_bytes = 0;
  std::filesystem::path show;
  std::string name;
  bool json = false;
  std::filesystem::path html;
  bool no_memory = false;
  std::string cluster;
  int procs = 16;
  NetworkOptions network;
};

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

void measure_node(MachineProfile* profile) {
  Progress progress("measuring memory");
  profile->cpu = identify_cpu().model;
  const std::vector<int> cpus = usable_cpus();
  profile->cores = std::max(1, static_cast<int>(cpus.size()));
  profile->frequency_hz = measure_frequency_hz();
  profile->clock_ns = measure_clock_ns();
  profile->signal_ns = measure_signal_ns();
  const std::vector<Cache> caches = caches_here();
  if (caches.empty())
    logging::warn("the kernel does not report cache sizes: only memory is measured");
  MemoryProbe probe = probe_memory(
      {caches, cpus,
       cpus.empty() ? std::vector<RemotePlace>{} : Topology::here().remote_places(cpus.front())},
      [&](std::size_t done, std::size_t total) { progress.at(done, total); });
  profile->levels = std::move(probe.levels);
  profile->latency_curve = std::move(probe.curve);
  profile->bandwidth_by_cores = std::move(probe.bandwidth_by_cores);
}

void warn_of_noise(const MachineProfile& profile) {
  constexpr double kNoisy = 0.1;
  for (const auto& [cores, rate] : profile.bandwidth_by_cores)
    if (rate.spread > kNoisy)
      logging::warn("the bandwidth of {} varies by {:.0f} %: something else runs on this machine",
                    counted(cores, "core", "cores"), 100 * rate.spread);
  for (const MemoryLevel& level : profile.levels) {
    if (level.bandwidth_bytes_per_s && level.bandwidth_bytes_per_s->spread > kNoisy)
      logging::warn("the bandwidth of {} varies by {:.0f} %: something else runs on this machine",
                    level.name, 100 * level.bandwidth_bytes_per_s->spread);
    if (level.latency_ns && level.latency_ns->spread > kNoisy)
      logging::warn("the latency of {} varies by {:.0f} %: something else runs on this machine",
                    level.name, 100 * level.latency_ns->spread);
    if (level.knee_bytes && (*level.knee_bytes < 0.5 * static_cast<double>(level.size_bytes) ||
                             *level.knee_bytes > 2.5 * static_cast<double>(level.size_bytes)))
      logging::warn("{} seems to end at {:.0f} KiB, Linux reports {} KiB", level.name,
                    *level.knee_bytes / 1024, level.size_bytes / 1024);
  }
}

void measure_messages(NetworkOptions options, MachineProfile* profile) {
  Progress progress("measuring messages");
  options.on_progress = [&](std::size_t done, std::size_t total) { progress.at(done, total); };
  options.search_path = program_search_path();
  options.probes = probes_dir();
  probe_network(options, profile);
}

/// Measures only the messages of a simulated cluster, because its ranks compute on the cores of
/// this machine.
void measure_virtual(const CalibrateArguments& options, MachineProfile* profile) {
  if (!options.network.launcher.empty())
    throw InputError("", "--virtual makes the launch command itself", "leave the launcher out");
  VirtualCluster cluster = read_virtual_cluster(options.cluster, configs_dir());
  cluster.simulate_computation = false;
  const TemporaryFolder folder;
  NetworkOptions network = options.network;
  write_virtual_platform(cluster, options.procs, folder.path());
  network.launcher = virtual_launcher(cluster, options.procs, folder.path());
  if (options.name.empty()) profile->name = cluster.title;
  measure_messages(network, profile);
}

/// Prints the profile as text, or as JSON with the fields of the file; also writes the HTML page if
/// requested.
void print(const CalibrateArguments& options, const MachineProfile& profile,
           const std::filesystem::path& file) {
  if (!options.html.empty()) {
    write_file_atomically(options.html, render_html(make_machine_report(profile)));
    logging::info("page written to {}", options.html.string());
  }
  const std::string text = options.json ? read_yaml_file(file, "apmt-machine", 1).dump(1) + "\n"
                                        : render_machine_text(profile);
  std::fputs(text.c_str(), stdout);
}

void show(const CalibrateArguments& options) {
  const std::filesystem::path file = named_file(options.show.string(), configs_dir(),
                                                {"machines", "devices"}, "machine profile or card");
  if (yaml_format(file) == "apmt-device") return show_device(file, options.json);
  print(options, read_machine_profile(file), file);
}

void measure_device(const CalibrateArguments& options) {
  if (!options.network.launcher.empty() || !options.cluster.empty() || options.no_memory ||
      !options.html.empty())
    throw InputError("", "--device measures only the device, not MPI or memory",
                     "leave out the launcher, --virtual, --no-memory and --html");
  std::string file = options.device + ".yaml";
  std::replace(file.begin(), file.end(), ':', '-');
  calibrate_device(
      {.device = options.device,
       .output = options.output.empty() ? file : options.output.string(),
       .name = options.name.empty() && options.device == "cpu" ? host_name() : options.name,
       .largest_bytes = static_cast<std::uint64_t>(options.largest_bytes),
       .json = options.json});
}

int run_calibrate(CalibrateArguments options) {
  const double begin_s = now_s();
  if (!options.show.empty()) {
    show(options);
    return 0;
  }
  if (!options.device.empty()) {
    measure_device(options);
    return 0;
  }
  if (options.largest_bytes > 0) throw InputError("", "--largest-bytes is for --device");
  if (options.output.empty()) options.output = "machine.yaml";
  const bool is_virtual = !options.cluster.empty();
  if (options.no_memory && options.network.launcher.empty() && !is_virtual)
    throw InputError("", "nothing to measure: --no-memory, and no launcher",
                     "apmt calibrate -- mpirun -np 4");
  MachineProfile profile;
  profile.name = options.name.empty() ? host_name() : options.name;
  profile.provenance = "measured";
  profile.source = "apmt " APMT_VERSION " calibrate";
  if (is_virtual) {
    measure_virtual(options, &profile);
  } else {
    if (!options.no_memory) measure_node(&profile);
    if (!options.network.launcher.empty()) measure_messages(options.network, &profile);
  }
  write_file_atomically(options.output, to_yaml(profile));
  print(options, profile, options.output);
  warn_of_noise(profile);
  logging::info("measured in {:.0f} s; profile written to {}", now_s() - begin_s,
                options.output.string());
  return 0;
}

}  // namespace

void add_calibrate(CommandLine& program) {
  Verb verb =
      program.add_verb("calibrate", "Measure memory, cores and MPI of this machine into a profile");
  verb.footer(kCalibrateFooter);
  auto options = std::make_shared<CalibrateArguments>();
  verb.add_option("-o,--output", options->output, "File to write [machine.yaml, or DEVICE.yaml]");
  verb.add_option("--device", options->device,
                  "Write the card of a device instead: cpu (all processors that apmt may use), "
                  "opencl:N or cuda:N (number N, from 0)");
  verb.add_option("--largest-bytes", options->largest_bytes,
                  "Largest size of data for --device [half of the free memory]")
      .check(number(1024, 1e15));
  verb.add_option("--name", options->name, "Name of the machine [this host's]");
  verb.add_flag("--no-memory", options->no_memory, "Measure only MPI");
  verb.add_option("--virtual", options->cluster,
                  "Measure the messages of a simulated cluster: a file, or a name as for apmt run");
  verb.add_option("--procs", options->procs, "Processes on it")
      .check(whole_number(2, 1024))
      .shows_default();
  verb.add_option("--compiler", options->network.compiler,
                  "C compiler of the launcher's MPI [found in PATH]");
  verb.add_option("--timeout", options->network.timeout_s,
                  "Time limit for measuring MPI, in seconds")
      .check(whole_number(10, 86400))
      .shows_default();
  verb.add_option("--show", options->show, "Print a profile or a card instead");
  verb.add_option("--html", options->html, "Also write one self-contained page with plots");
  verb.add_flag("--json", options->json, "The profile as JSON");
  verb.add_option("launcher", options->network.launcher, "How MPI programs are started here");
  verb.ends_with_command();
  verb.action([options] { return run_calibrate(*options); });
}

}  // namespace apmt
