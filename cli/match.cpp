// apmt match: calculates how long the kernels of an analysis would take on other devices.

#include "devices/match.h"

#include "base/input_error.h"
#include "cli/analyze_join.h"
#include "cli/installation.h"
#include "cli/logging.h"
#include "cli/other_verbs.h"
#include "cli/print_report.h"
#include "cli/verbs.h"
#include "devices/card_doubts.h"
#include "fitter/kernels/kernel_join.h"
#include "machine/named_file.h"
#include "profile/profile_files.h"
#include "reports/devices/match.h"

namespace apmt {
namespace {

constexpr const char* kMatchFooter =
    "Reads the kernels of an analysis (apmt analyze) and the cards of devices, and ranks the\n"
    "devices for each kernel: time, what it is bound by, relative cost, and how several would\n"
    "share the work. A device is a card, a machine profile of apmt calibrate, or a name.\n"
    "\n"
    "Methods:\n"
    "  apmt        all operations, cache levels, launches and transfers: the best of any port\n"
    "  automatch   the equations of AutoMatch as published; they need a measured card\n"
    "  pmac        loops that are idioms, at the bandwidth that the card has for each idiom\n"
    "\n"
    "Examples:\n"
    "  apmt match --device gtx1080 --device epyc-9654\n"
    "  apmt match analysis.json --device machine.yaml --device h100-sxm --data per-call\n"
    "  apmt match --device card.yaml --method automatch --vectorised 0.9\n"
    "  apmt match --method pmac --host cpu.yaml --device gpu.yaml --join apmt-app/apmt-app.p2.r1";

struct MatchArguments {
  std::filesystem::path analysis = "analysis.json";
  std::vector<std::string> devices;
  std::string method = "apmt";
  std::string data = "resident";
  std::optional<double> steps;
  std::optional<double> vectorised;
  std::optional<double> scatter;
  std::string host;
  std::optional<double> coverage;
  std::filesystem::path join;
  bool overlap = false;
  std::filesystem::path html;
  bool json = false;
};

devices::Device card_of(const std::string& name) {
  return devices::read_device(
      named_file(name, configs_dir(), {"devices", "machines"}, "device card"));
}

std::optional<devices::IdiomHost> host_of(const MatchArguments& options,
                                          const kernels::Analysis& analysis) {
  if (options.host.empty()) {
    if (options.coverage || !options.join.empty())
      throw InputError(options.coverage ? "--coverage" : "--join",
                       "gives the share of the host's time, but no host is named",
                       "--host names the card of the machine on which the program runs");
    return std::nullopt;
  }
  devices::IdiomHost host{.card = card_of(options.host), .coverage = options.coverage};
  if (!options.join.empty())
    host.kernel_shares =
        kernel_shares(read_run_profile(folder_of_one_run(options.join) / "profile.json"), analysis);
  return host;
}

int run_match(const MatchArguments& options) {
  devices::MatchOptions how;
  if (options.method == "automatch") how.method = devices::MatchMethod::kAutomatch;
  if (options.method == "pmac") how.method = devices::MatchMethod::kPmac;
  if (options.data == "once") how.data = devices::DataPlace::kOnce;
  if (options.data == "per-call") how.data = devices::DataPlace::kPerCall;
  if (options.data == "per-step") how.data = devices::DataPlace::kPerStep;
  how.steps = options.steps;
  how.vectorised = options.vectorised;
  how.scatter = options.scatter;
  how.do_overlap = options.overlap;
  const kernels::Analysis analysis = kernels::read_analysis(options.analysis);
  how.host = host_of(options, analysis);
  std::vector<devices::Device> cards;
  for (const std::string& name : options.devices) cards.push_back(card_of(name));
  for (const devices::Device& card : cards)
    for (const std::string& doubt : devices::contradictions_of(card))
      logging::warn("the card {}: {}", card.label, doubt);
  const devices::Match match = devices::match(analysis, cards, how);
  print_report(make_match_report(match), options.html,
               options.json ? std::optional(format_json(devices::to_json(match))) : std::nullopt);
  return 0;
}

}  // namespace

void add_match(CommandLine& program) {
  Verb verb = program.add_verb(kMatch.name, kMatch.help);
  verb.footer(kMatchFooter);
  auto options = std::make_shared<MatchArguments>();
  verb.add_option("analysis", options->analysis, "Analysis of apmt analyze")
      .check(existing_file())
      .shows_default();
  verb.add_option("--device", options->devices,
                  "A device: the file of its card, or a name; give it once for each")
      .required()
      .one_word();
  verb.add_option("--method", options->method, "How times are computed")
      .check(one_of({"apmt", "automatch", "pmac"}))
      .shows_default();
  verb.add_option("--data", options->data,
                  "When data move to a device: never, once, per call, or per time step")
      .check(one_of({"resident", "once", "per-call", "per-step"}))
      .shows_default();
  verb.add_option("--steps", options->steps, "Time steps of the analysed run (--data per-step)")
      .check(number(1, 1e15));
  verb.add_flag("--overlap", options->overlap,
                "Data move while the device works, so only the longer of both counts (pmac)");
  verb.add_option("--host", options->host,
                  "Card of the machine on which the program runs: also show which idioms to port "
                  "(pmac)");
  const Argument coverage =
      verb.add_option(
              "--coverage", options->coverage,
              "Share of the program's time that the host spends in the idioms (with --host)")
          .check(number(1e-9, 1));
  verb.add_option("--join", options->join,
                  "Run that shows the share of the time in the analysed kernels (with --host)")
      .check(existing_path())
      .excludes(coverage);
  verb.add_option("--vectorised", options->vectorised,
                  "Share of floating-point operations that vectorise, assumed (automatch)")
      .check(number(1e-9, 1));
  verb.add_option("--scatter", options->scatter,
                  "Scatter of ln(real / predicted time) between devices, for the probabilities")
      .check(number(0.01, 10));
  verb.add_option("--html", options->html, "Also write one self-contained page with plots");
  verb.add_flag("--json", options->json, "Print the result as JSON");
  verb.action([options] { return run_match(*options); });
}

}  // namespace apmt
