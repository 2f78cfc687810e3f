// Handlers about the server itself, and the OpenAPI document.

#include "service/response_schemas.h"
#include "service/routes.h"

namespace apmt::service {
namespace {

Json parameter_json(const char* name, const char* place, const char* type, bool is_required,
                    const std::string& help) {
  return {{"name", name},
          {"in", place},
          {"required", is_required},
          {"description", help},
          {"schema", {{"type", type}}}};
}

Json parameters_of(const Route& route) {
  Json list = Json::array();
  const std::string pattern = route.pattern;
  if (pattern.find("{application}") != std::string::npos)
    list.push_back(parameter_json("application", "path", "integer", true, "Id of an application"));
  if (pattern.find("{run}") != std::string::npos)
    list.push_back(parameter_json("run", "path", "string", true, "SHA-256 of a run"));
  if (pattern.find("{schema}") != std::string::npos)
    list.push_back(parameter_json("schema", "path", "string", true, "Name of a schema"));
  for (const Parameter& p : route.query)
    list.push_back(parameter_json(p.name, "query", p.type, p.is_required, p.help));
  return list;
}

/// How the OpenAPI document refers to the schema of a JSON text. The reference is relative to the
/// address of the document.
Json of_schema(const std::string& schema) {
  if (schema.empty()) return Json::object();
  return {{"schema", {{"$ref", "schemas/" + schema}}}};
}

Json operation_of(const Route& route) {
  const Json content = {{route.returns, of_schema(route.schema)}};
  const Json problem = {
      {"application/json", of_schema("service-answers.schema.json#/$defs/problem")}};
  Json responses;
  responses["200"] = {{"description", "Done"}, {"content", content}};
  if (route.takes_profile)
    responses["201"] = {{"description", "The run is on disk"}, {"content", content}};
  responses["default"] = {{"description", "Refused, with the reason"}, {"content", problem}};
  Json operation{
      {"summary", route.summary}, {"parameters", parameters_of(route)}, {"responses", responses}};
  if (route.role) {
    operation["security"] = Json::array({{{"token", Json::array()}}});
    operation["x-role"] = to_string(*route.role);
  }
  if (route.takes_profile)
    operation["requestBody"] = {
        {"required", true}, {"content", {{"application/json", of_schema("profile.schema.json")}}}};
  return operation;
}

}  // namespace

Json openapi() {
  Json paths = Json::object();
  for (const Route& route : routes()) {
    if (std::string(route.returns) == "text/html") continue;
    std::string method = route.method;
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    paths[route.pattern][method] = operation_of(route);
  }
  return {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "apmt serve"},
        {"version", "1"},
        {"description", "Models of MPI programs, kept current (docs/service.md)."}}},
      {"paths", std::move(paths)},
      {"components", {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

HttpResponse show_openapi(Context&, const Call&) { return json_response(openapi()); }

HttpResponse show_schema(Context&, const Call& call) {
  const auto found = response_schemas().find(call.path.at("schema"));
  if (found == response_schemas().end()) throw HttpProblem(404, "there is no such schema");
  // References in a schema are relative to its `$id`. Without `$id` they lead to this server.
  Json schema = Json::parse(found->second);
  schema.erase("$id");
  return json_response(schema);
}

HttpResponse show_health(Context&, const Call&) { return json_response({{"status", "ok"}}); }

HttpResponse show_token(Context&, const Call& call) {
  const Caller& caller = *call.request.caller;
  return json_response({{"name", caller.name},
                        {"role", to_string(caller.role)},
                        {"only", caller.scope.is_all() ? Json() : Json(caller.scope.names())}});
}

HttpResponse show_metrics(Context& context, const Call&) {
  const std::map<std::string, double> gauges = {
      {"apmt_runs", static_cast<double>(context.store.count_runs())},
      {"apmt_refits_waiting", static_cast<double>(context.refitter.waiting())}};
  return {200, "text/plain; version=0.0.4; charset=utf-8", context.metrics.text(gauges), {}};
}

}  // namespace apmt::service
