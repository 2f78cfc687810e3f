// apmt offload: predicts an MPI program at scale with its kernels on devices.

#include "devices/offload/offload.h"

#include "base/input_error.h"
#include "campaign/store/run_directory.h"
#include "cli/experiment_path.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/print_report.h"
#include "cli/scenarios.h"
#include "cli/verbs.h"
#include "devices/card_doubts.h"
#include "machine/named_file.h"
#include "reports/devices/offload.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOffloadFooter =
    "Predicts the program's time at other process counts if kernels run on devices: which to port\n"
    "in which order, the process count at which the gain is gone, and what a port must reach.\n"
    "Needs a model and, in the folders of its runs, analyses of the kernels (apmt analyze). With\n"
    "analyses of two or more sizes per rank, other sizes have a law (docs/offload.md).\n"
    "\n"
    "Examples:\n"
    "  apmt offload --device h100.yaml --per-node 4 --procs 64,256,1024\n"
    "  apmt offload apmt-halo2d --device h100.yaml --procs 256 --speedup 3\n"
    "  apmt offload --device h100.yaml --procs 256 --data per-call --json";

struct OffloadArguments {
  fs::path path;
  fs::path runs;
  ScenarioOptions scenarios;
  std::string device;
  int per_node = 1;
  std::string data = "resident";
  std::optional<double> speedup;
  fs::path html;
  bool json = false;
  ExperimentOptions experiment;
};

/// The experiment whose runs have analyses. By default, it is the experiment of the model.
fs::path runs_of(const OffloadArguments& options) {
  if (!options.runs.empty()) return experiment_dir(options.runs);
  if (options.path.empty() || kind_of(options.path) != PathKind::kModel)
    return experiment_dir(options.path);
  const fs::path folder = fs::absolute(options.path).parent_path();
  if (kind_of(folder) == PathKind::kExperiment) return folder;
  throw InputError(options.path.string(), "is not in the folder of an experiment",
                   "--runs names the experiment whose runs have the analyses");
}

int run_offload(const OffloadArguments& options) {
  devices::OffloadOptions how;
  how.per_node = options.per_node;
  how.port.wanted_speedup = options.speedup;
  if (options.data == "once") how.port.data = devices::DataPlace::kOnce;
  if (options.data == "per-call") how.port.data = devices::DataPlace::kPerCall;
  const devices::Device device = devices::read_device(
      named_file(options.device, configs_dir(), {"devices", "machines"}, "device card"));
  for (const std::string& doubt : devices::contradictions_of(device))
    logging::warn("the card {}: {}", device.label, doubt);
  const Model model = load_model(options.path, options.experiment);
  const Experiment experiment = load_experiment(runs_of(options), options.experiment);
  const devices::Offload offload =
      devices::offload(model, experiment, device, scenarios_of(model, options.scenarios), how);
  print_report(make_offload_report(offload), options.html,
               options.json ? std::optional(format_json(devices::to_json(offload))) : std::nullopt);
  return 0;
}

}  // namespace

void add_offload(CommandLine& program) {
  Verb verb = program.add_verb(kOffload.name, kOffload.help);
  verb.footer(kOffloadFooter);
  auto options = std::make_shared<OffloadArguments>();
  verb.add_option("path", options->path,
                  "Model file or experiment directory [the newest experiment here]");
  verb.add_option("--device", options->device, "The device: the file of its card, or a name")
      .required();
  verb.add_option("--per-node", options->per_node, "Devices of a node; its ranks share them")
      .check(whole_number(1, 1 << 10))
      .shows_default();
  add_scenario_options(verb, &options->scenarios).required();
  verb.add_option("--data", options->data,
                  "When data of ported kernels move: never, once, or per call")
      .check(one_of({"resident", "once", "per-call"}))
      .shows_default();
  verb.add_option("--speedup", options->speedup,
                  "Wanted speed-up of the program: also print what each port must reach")
      .check(number(1.0, 1e6));
  verb.add_option("--runs", options->runs,
                  "Experiment whose runs have the analyses [that of the model]");
  verb.add_option("--html", options->html, "Also write one self-contained page with plots");
  verb.add_flag("--json", options->json, "Print the result as JSON");
  add_experiment_options(verb, &options->experiment);
  verb.action([options] { return run_offload(*options); });
}

}  // namespace apmt
