// apmt ask: finds the number of processes and nodes for a deadline or a budget.

#include <cstdio>

#include "base/checked_json.h"
#include "base/input_error.h"
#include "cli/experiment_path.h"
#include "cli/other_verbs.h"
#include "cli/scenarios.h"
#include "cli/service_access.h"
#include "cli/verbs.h"
#include "fitter/prediction/outlook.h"
#include "reports/resources_text.h"

namespace apmt {
namespace {

constexpr const char* kAskFooter =
    "With a deadline, names the process count with the fewest core-hours that meets it; with a\n"
    "budget, the fastest one within it. With --from, the model comes from a server of apmt serve.\n"
    "Without --from and APMT_SERVER, it is a local one. With --fail the exit code is 4 if no\n"
    "process count meets the limit, or if there is no answer; otherwise it is 0.\n"
    "\n"
    "Examples:\n"
    "  apmt ask --deadline 3600\n"
    "  apmt ask halo2d --deadline 3600 --from http://127.0.0.1:8440\n"
    "  apmt ask model.json --budget 500 --set n=4096\n"
    "  apmt ask --deadline 3600 --fail";

struct AskArguments {
  std::filesystem::path what;
  ResourceLimit limit;
  std::string budget;
  ScenarioOptions scenario;
  ServerOptions server;
  ApplicationOptions application;
  bool fail = false;
  bool json = false;
};

int run_ask(AskArguments options) {
  if (!options.budget.empty())
    options.limit.budget_core_hours = number_with("--budget", options.budget, "core-hours");
  if (options.limit.deadline_s.has_value() == options.limit.budget_core_hours.has_value())
    throw InputError("apmt ask", "give --deadline or --budget, one of the two");
  options.application.name = options.what.string();
  const Model model = options.server.url.empty()
                          ? load_model(options.what)
                          : model_from_server(options.server, options.application);
  options.scenario.procs = {model.max_procs()};
  const Scenario scenario = scenarios_of(model, options.scenario).front();
  const Resources answer = find_resources(model, Predictor(model), scenario, options.limit);
  if (options.json) {
    std::fputs(format_json(to_json(answer)).c_str(), stdout);
  } else {
    for (const std::string& sentence : resource_sentences(answer))
      std::printf("%s\n", sentence.c_str());
  }
  return options.fail && !answer.choice ? static_cast<int>(ExitCode::kThresholdNotMet) : 0;
}

}  // namespace

void add_ask(CommandLine& program) {
  Verb verb = program.add_verb(kAsk.name, kAsk.help);
  verb.footer(kAskFooter);
  auto options = std::make_shared<AskArguments>();
  verb.add_option("what", options->what,
                  "Application on the server; without --from, a model file or experiment directory "
                  "[the newest experiment here]");
  verb.add_option("--deadline", options->limit.deadline_s, "Deadline in seconds")
      .check(positive_number());
  verb.add_option("--budget", options->budget, "Budget in core-hours, e.g. 500core-hours or 500");
  verb.add_option("--set", options->scenario.sizes,
                  "Problem sizes, e.g. n=4096 [those of the runs]")
      .one_word();
  verb.add_option("--scaling", options->scenario.scaling,
                  "strong: constant sizes; weak: constant work per process [as recorded]")
      .check(one_of({"strong", "weak"}));
  verb.add_option("--confidence", options->scenario.confidence_percent,
                  "Nominal coverage of the interval in percent")
      .check(number(1.0, 99.0))
      .shows_default();
  verb.add_option("--from", options->server.url, "URL of a server that has the model")
      .from_environment("APMT_SERVER");
  verb.add_option("--of-machine", options->application.machine,
                  "Machine of the application on the server [that of its newest run]");
  verb.add_option("--of-version", options->application.version,
                  "Version of the application on the server [that of its newest run]");
  add_token_option(verb, &options->server);
  verb.add_flag("--fail", options->fail, "End with 4 when no process count meets the limit");
  verb.add_flag("--json", options->json, "Print the answer as JSON");
  verb.action([options] { return run_ask(*options); });
}

}  // namespace apmt
