// Handlers about the server itself, and the OpenAPI document.

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
  for (const Parameter& p : route.query)
    list.push_back(parameter_json(p.name, "query", p.type, p.is_required, p.help));
  return list;
}

Json operation_of(const Route& route) {
  const Json problem = {
      {"application/json", {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}};
  Json responses;
  responses["200"] = {{"description", "Done"}, {"content", {{route.returns, Json::object()}}}};
  if (route.takes_profile)
    responses["201"] = {{"description", "The run is on disk"},
                        {"content", {{route.returns, Json::object()}}}};
  responses["default"] = {{"description", "Refused, with the reason"}, {"content", problem}};
  Json operation{
      {"summary", route.summary}, {"parameters", parameters_of(route)}, {"responses", responses}};
  if (route.role) {
    operation["security"] = Json::array({{{"token", Json::array()}}});
    operation["x-role"] = to_string(*route.role);
  }
  if (route.takes_profile)
    operation["requestBody"] = {{"required", true},
                                {"content", {{"application/json", Json::object()}}}};
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
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", "apmt serve"},
            {"version", "1"},
            {"description", "Models of MPI programs, kept current (docs/service.md)."}}},
          {"paths", std::move(paths)},
          {"components",
           {{"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}},
            {"schemas",
             {{"Problem",
               {{"type", "object"},
                {"required", {"error"}},
                {"properties",
                 {{"error", {{"type", "string"}}}, {"hint", {{"type", "string"}}}}}}}}}}}};
}

HttpResponse show_openapi(Context&, const Call&) { return json_response(openapi()); }

HttpResponse show_health(Context&, const Call&) { return json_response({{"status", "ok"}}); }

HttpResponse show_metrics(Context& context, const Call&) {
  const std::map<std::string, double> gauges = {
      {"apmt_runs", static_cast<double>(context.store.count_runs())},
      {"apmt_refits_waiting", static_cast<double>(context.refitter.waiting())}};
  return {200, "text/plain; version=0.0.4; charset=utf-8", context.metrics.text(gauges), {}};
}

}  // namespace apmt::service
