// Handlers that show models, predict with them and compare them.

#include <charconv>

#include "base/input_error.h"
#include "fitter/prediction/outlook.h"
#include "reports/difference.h"
#include "reports/sentences.h"
#include "service/routes.h"

namespace apmt::service {
namespace {

constexpr std::size_t kMostCounts = 64;
constexpr int kMostProcs = 1 << 24;

std::vector<std::string> comma_separated(const std::string& text) {
  std::vector<std::string> items(1);
  for (const char c : text) {
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  }
  return items;
}

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::map<std::string, double> sizes_in(const std::string& text) {
  std::map<std::string, double> sizes;
  if (text.empty()) return sizes;
  for (const std::string& item : comma_separated(text)) {
    const std::size_t equals = std::min(item.find('='), item.size());
    const std::optional<double> value =
        equals < item.size() ? number_in<double>(item.substr(equals + 1)) : std::nullopt;
    if (equals == 0 || !value || !(*value >= 0 && *value < 1e300))
      throw HttpProblem(400, "set: expected name=number, separated by commas");
    sizes[item.substr(0, equals)] = *value;
  }
  return sizes;
}

std::vector<int> procs_in(const std::string& text) {
  std::vector<int> counts;
  for (const std::string& item : comma_separated(text)) {
    const std::optional<int> procs = number_in<int>(item);
    if (!procs || *procs < 1 || *procs > kMostProcs || counts.size() == kMostCounts)
      throw HttpProblem(400, "procs: expected up to " + std::to_string(kMostCounts) +
                                 " process counts from 1 to " + std::to_string(kMostProcs));
    counts.push_back(*procs);
  }
  return counts;
}

Scenario scenario_of(const Call& call) {
  Scenario scenario;
  scenario.params = sizes_in(call.text("set"));
  const std::string scaling = call.text("scaling");
  if (scaling == "weak") scenario.scaling = Scaling::kWeak;
  if (scaling == "strong") scenario.scaling = Scaling::kStrong;
  if (!scaling.empty() && !scenario.scaling)
    throw HttpProblem(400, "scaling: expected strong or weak");
  const double percent = call.number("confidence").value_or(80);
  if (percent < 1 || percent > 99)
    throw HttpProblem(400, "confidence: expected a number from 1 to 99");
  scenario.confidence = percent / 100;
  return scenario;
}

std::shared_ptr<const ReadyModel> ready_model(Context& context, const Call& call) {
  return context.models.get(serving_model(application_of(context, call)).id);
}

}  // namespace

std::shared_ptr<const ReadyModel> model_of_parameter(Context& context, const Call& call,
                                                     const char* name) {
  const std::int64_t id = call.whole(name, 1, 1 << 30, 0);
  try {
    return context.models.get(serving_model(application_with(context, call, id)).id);
  } catch (const HttpProblem& problem) {
    throw HttpProblem(problem.status(), std::string(name) + ": " + problem.what(), problem.hint());
  }
}

HttpResponse show_model(Context& context, const Call& call) {
  const ModelInfo model = serving_model(application_of(context, call));
  return {200,
          "application/json",
          context.store.model_text(model.id),
          {{"ETag", "\"" + std::to_string(model.id) + "\""}}};
}

HttpResponse predict_time(Context& context, const Call& call) {
  const std::vector<int> counts = procs_in(call.text("procs"));
  Scenario scenario = scenario_of(call);
  const std::optional<double> deadline_s = call.number("deadline_s");
  const std::shared_ptr<const ReadyModel> ready = ready_model(context, call);
  Json list = Json::array();
  for (const int procs : counts) {
    scenario.procs = procs;
    list.push_back(to_json(ready->model, ready->predictor.predict(scenario)));
  }
  // The outlook takes as long as dozens of predictions, so it is made only on request.
  if (deadline_s) {
    const Json outlook = to_json(look_ahead(ready->predictor, ready->model, scenario, deadline_s));
    for (Json& prediction : list) prediction["outlook"] = outlook;
  }
  return json_response(list.size() == 1 ? list[0] : list);
}

HttpResponse ask_procs(Context& context, const Call& call) {
  const Scenario scenario = scenario_of(call);
  const ResourceLimit limit{call.number("deadline_s"), call.number("budget_core_hours")};
  const std::shared_ptr<const ReadyModel> ready = ready_model(context, call);
  return json_response(to_json(find_resources(ready->model, ready->predictor, scenario, limit)));
}

HttpResponse compare_models(Context& context, const Call& call) {
  const auto before = model_of_parameter(context, call, "before");
  const auto after = model_of_parameter(context, call, "after");
  return json_response(to_json(compare(before->model, after->model)));
}

}  // namespace apmt::service
