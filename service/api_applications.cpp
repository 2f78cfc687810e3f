// Handlers for applications, for their models, forecasts and histories, and for the audit log.

#include "service/forecast.h"
#include "service/routes.h"
#include "service/track_record.h"

namespace apmt::service {
namespace {

Json json_of_model(const ModelInfo& model) {
  return {{"id", model.id},           {"number", model.number},   {"made_at", model.made_at},
          {"is_good", model.is_good}, {"message", model.message}, {"max_procs", model.max_procs}};
}

Json json_of_state(const ApplicationState& state) {
  return {{"id", state.application.id},
          {"name", state.application.labels.name},
          {"machine", state.application.labels.machine},
          {"version", state.application.labels.version},
          {"runs", state.runs},
          {"taken_out", state.taken_out},
          {"procs", state.procs},
          {"last_run_at", state.last_run_at},
          {"is_pending", state.is_pending()},
          {"model", state.newest_good ? json_of_model(*state.newest_good) : Json()},
          {"newest_attempt", state.newest ? json_of_model(*state.newest) : Json()}};
}

}  // namespace

Scope scope_of(const Call& call) { return call.request.caller.value().scope; }

ApplicationState application_with(Context& context, const Call& call, std::int64_t id) {
  const std::optional<ApplicationState> state = context.store.application(id);
  if (!state || !scope_of(call).contains(state->application.labels.name))
    throw HttpProblem(404, "there is no such application");
  return *state;
}

ApplicationState application_of(Context& context, const Call& call) {
  return application_with(context, call, call.id("application"));
}

ModelInfo serving_model(const ApplicationState& state) {
  if (state.newest_good) return *state.newest_good;
  if (state.is_pending()) throw HttpProblem(409, "the first model is being fitted", "ask again");
  throw HttpProblem(
      409, "there is no model yet" + (state.newest ? ": " + state.newest->message : std::string()));
}

HttpResponse list_applications(Context& context, const Call& call) {
  Json list = Json::array();
  for (const ApplicationState& state : context.store.applications(
           {call.text("name"), call.text("machine"), call.text("version"),
            call.whole("after", 0, 1 << 30, 0), call.whole("most", 1, 1000, 1000), scope_of(call)}))
    list.push_back(json_of_state(state));
  return json_response(list);
}

HttpResponse show_application(Context& context, const Call& call) {
  return json_response(json_of_state(application_of(context, call)));
}

HttpResponse list_models(Context& context, const Call& call) {
  Json list = Json::array();
  for (const ModelInfo& model :
       context.store.models_of(application_of(context, call).application.id, 1000))
    list.push_back(json_of_model(model));
  return json_response(list);
}

HttpResponse show_track_record(Context& context, const Call& call) {
  ForecastFilter filter;
  filter.scope = scope_of(call);
  if (call.path.contains("application"))
    filter.application = application_of(context, call).application.id;
  Json json = to_json(context.store.track_record(filter));
  Json list = Json::array();
  for (const Forecast& forecast : context.store.forecasts(filter))
    list.push_back(to_json(forecast));
  json["forecasts"] = std::move(list);
  return json_response(json);
}

StoredHistory history_of(Context& context, const Call& call) {
  const RunLabels labels = application_of(context, call).application.labels;
  std::optional<StoredHistory> history = context.store.history(labels.name, labels.machine);
  if (!history)
    throw HttpProblem(409, "there is no history yet: it needs runs of at least two versions");
  return *history;
}

HttpResponse show_history(Context& context, const Call& call) {
  return {200, "application/json", history_of(context, call).report, {}};
}

HttpResponse list_audit(Context& context, const Call& call) {
  if (!scope_of(call).is_all())
    throw HttpProblem(403,
                      "the audit log covers all applications, but this token is limited to some");
  Json list = Json::array();
  for (const AuditEntry& entry : context.store.audit(call.whole("most", 1, 1000, 100)))
    list.push_back({{"number", entry.number},
                    {"at", entry.at},
                    {"who", entry.who},
                    {"what", entry.what},
                    {"subject", entry.subject},
                    {"detail", entry.detail}});
  return json_response(list);
}

}  // namespace apmt::service
