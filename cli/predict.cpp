// apmt predict: predicts the time at other process counts, with an interval.

#include <cstdio>

#include "base/checked_json.h"
#include "cli/arguments.h"
#include "cli/experiment_path.h"
#include "cli/scenarios.h"
#include "cli/service_access.h"
#include "cli/terminal.h"
#include "cli/verbs.h"
#include "fitter/prediction/outlook.h"
#include "refine/ahead.h"
#include "reports/outlook_text.h"
#include "reports/profile_export.h"
#include "reports/render.h"
#include "reports/sentences.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

constexpr const char* kPredictFooter =
    "Examples:\n"
    "  apmt predict --procs 64,256,1024\n"
    "  apmt predict halo.json --procs 512 --set n=4096 --json\n"
    "  apmt predict apmt-halo2d --procs 128 --scaling weak\n"
    "  apmt predict --procs 1024 --deadline 3600\n"
    "  apmt predict --procs 1024 --latency x0.5 --bandwidth 25GB/s\n"
    "  apmt predict --procs 1024 --machine new.yaml --profiled-on old.yaml\n"
    "  apmt predict halo2d --procs 1024 --from http://127.0.0.1:8440     (docs/service.md)\n"
    "\n"
    "A what-if option changes the parts that the model can separate and leaves the rest. When the\n"
    "model cannot answer, the exit code is 3 and the message states what is missing\n"
    "(docs/predict.md).";

struct PredictArguments {
  std::filesystem::path path;
  ScenarioOptions scenarios;
  std::optional<double> deadline_s;
  bool json = false;
  bool prometheus = false;
  ExperimentOptions experiment;
  ServerOptions server;
  ApplicationOptions application;
};

Model model_to_predict_with(const PredictArguments& options) {
  if (options.server.url.empty()) return load_model(options.path, options.experiment);
  ApplicationOptions application = options.application;
  application.name = options.path.string();
  return model_from_server(options.server, application);
}

int run_predict(const PredictArguments& options) {
  const Model model = model_to_predict_with(options);
  const Predictor predictor(model);
  const std::vector<Scenario> scenarios = scenarios_of(model, options.scenarios);
  const std::vector<Prediction> predictions = predict_all(predictor, scenarios);
  if (options.prometheus) {
    std::fputs(render_prometheus(model, predictions).c_str(), stdout);
    return 0;
  }
  if (options.json) {
    const Outlook outlook = look_ahead(predictor, model, scenarios.back(), options.deadline_s);
    Json list = Json::array();
    for (const Prediction& prediction : predictions) {
      list.push_back(to_json(model, prediction));
      list.back()["outlook"] = to_json(outlook);
    }
    std::fputs(format_json(list.size() == 1 ? list[0] : list).c_str(), stdout);
  } else {
    std::fputs(render_prediction_text(model, predictions, text_columns()).c_str(), stdout);
    const Prediction& target = target_of(predictions);
    const Ahead ahead = look_beyond(
        predictor, model, scenarios[static_cast<std::size_t>(&target - predictions.data())],
        options.deadline_s);
    std::vector<std::string> sentences = outlook_sentences(ahead.outlook);
    for (std::string& sentence : interval_sentences(model, target, ahead))
      sentences.push_back(std::move(sentence));
    std::fputs(render_outlook_text(sentences).c_str(), stdout);
  }
  return 0;
}

}  // namespace

void add_predict(CommandLine& program) {
  Verb verb = program.add_verb("predict", "Predict the time at other process counts");
  verb.footer(kPredictFooter);
  auto options = std::make_shared<PredictArguments>();
  verb.add_option(
      "path", options->path,
      "Model file or experiment directory [the newest experiment here]; with --from, the "
      "application on the server");
  add_scenario_options(verb, &options->scenarios).required();
  verb.add_option("--deadline", options->deadline_s,
                  "Deadline in seconds: also find the process count with the fewest core-hours "
                  "that meets it")
      .check(positive_number());
  verb.add_flag("--json", options->json,
                "Print JSON: an object, or a list for several process counts");
  verb.add_flag("--prometheus", options->prometheus, "Print the main figures in Prometheus format");
  verb.add_option("--from", options->server.url,
                  "URL of a server of apmt serve that has the model");
  verb.add_option("--of-machine", options->application.machine,
                  "Machine of the application on the server [that of its newest run]");
  verb.add_option("--of-version", options->application.version,
                  "Version of the application on the server [that of its newest run]");
  add_token_option(verb, &options->server);
  add_experiment_options(verb, &options->experiment);
  verb.action([options] { return run_predict(*options); });
}

}  // namespace apmt
