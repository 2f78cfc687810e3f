// The addresses to which the service responds. Requests are dispatched from one table of routes,
// and the OpenAPI document is made from the same table.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/checked_json.h"
#include "service/http_message.h"
#include "service/log_line.h"
#include "service/metrics.h"
#include "service/model_cache.h"
#include "service/refitter.h"
#include "service/store.h"
#include "service/url.h"

namespace apmt::service {

/// What handlers work with.
struct Context {
  Store& store;
  ModelCache& models;
  Refitter& refitter;
  Metrics& metrics;
  Log log;
  std::size_t most_profile_bytes = 0;  // unpacked
};

struct Call {
  const HttpRequest& request;
  std::map<std::string, std::string> path;   // values of {name} in the pattern
  std::map<std::string, std::string> query;  // only names that the route knows

  std::string text(const std::string& name) const;  // of the query; empty if absent
  std::optional<double> number(const std::string& name) const;
  int whole(const std::string& name, int low, int high, int otherwise) const;
  std::int64_t id(const std::string& name) const;  // of the path
};

struct Parameter {
  const char* name;
  const char* type;  // "string", "number", "integer"
  bool is_required;
  const char* help;
};

struct Route {
  const char* method;
  const char* pattern;
  std::optional<Role> role;  // absent: needs no token
  const char* summary;
  std::vector<Parameter> query;
  HttpResponse (*handler)(Context&, const Call&);
  /// The schema of the JSON that the route returns, as a path below docs/schemas; empty if it
  /// returns no JSON, or a document of another standard.
  std::string schema = {};
  const char* returns = "application/json";
  bool takes_profile = false;
  /// Clients ask whether there is such a thing: that there is none (404) answers them, and is no
  /// refusal.
  bool may_find_nothing = false;

  bool changes_something() const { return std::string(method) != "GET"; }
};

const std::vector<Route>& routes();

struct Match {
  const Route* route = nullptr;
  std::map<std::string, std::string> path;
};

/// Finds the route for a request. Throws HttpProblem: 404 if no pattern fits, 405 if a pattern fits
/// but not with this method.
Match match_route(const std::string& method, const Target& target);

/// The OpenAPI document of all routes below /api, /healthz and /metrics.
Json openapi();

// The handlers, by file.
// api_runs.cpp
HttpResponse push_run(Context& context, const Call& call);
HttpResponse show_run(Context& context, const Call& call);
HttpResponse show_profile(Context& context, const Call& call);
HttpResponse take_out_run(Context& context, const Call& call);
HttpResponse list_runs(Context& context, const Call& call);
// api_applications.cpp
HttpResponse list_applications(Context& context, const Call& call);
HttpResponse show_application(Context& context, const Call& call);
HttpResponse list_models(Context& context, const Call& call);
HttpResponse show_track_record(Context& context, const Call& call);
HttpResponse show_history(Context& context, const Call& call);
HttpResponse list_audit(Context& context, const Call& call);
// api_questions.cpp
HttpResponse show_model(Context& context, const Call& call);
HttpResponse predict_time(Context& context, const Call& call);
HttpResponse ask_procs(Context& context, const Call& call);
HttpResponse compare_models(Context& context, const Call& call);
// api_server.cpp
HttpResponse show_health(Context& context, const Call& call);
HttpResponse show_metrics(Context& context, const Call& call);
HttpResponse show_openapi(Context& context, const Call& call);
HttpResponse show_schema(Context& context, const Call& call);
HttpResponse show_token(Context& context, const Call& call);
// pages.cpp
HttpResponse page_of_applications(Context& context, const Call& call);
HttpResponse page_of_application(Context& context, const Call& call);
HttpResponse page_of_report(Context& context, const Call& call);
HttpResponse page_of_history(Context& context, const Call& call);
HttpResponse page_of_track_record(Context& context, const Call& call);
HttpResponse page_of_comparison(Context& context, const Call& call);

HttpResponse json_response(const Json& json, int status = 200);

/// The applications that the caller may use.
Scope scope_of(const Call& call);
/// The application with this id. Throws HttpProblem (404) if there is none, or if it is outside the
/// caller's scope.
ApplicationState application_with(Context& context, const Call& call, std::int64_t id);
/// The serving model of the application whose id is the parameter `name` of the query. Throws
/// HttpProblem, as application_with() and serving_model() do; the message names the parameter.
std::shared_ptr<const ReadyModel> model_of_parameter(Context& context, const Call& call,
                                                     const char* name);
/// The application whose id is {application} in the path.
ApplicationState application_of(Context& context, const Call& call);
/// The history of the application's program on its machine; throws HttpProblem (409) if there is
/// none yet.
StoredHistory history_of(Context& context, const Call& call);
/// The model with which predictions for the application are made: the newest for which the fit
/// succeeded. Throws HttpProblem (409) with the reason if there is none.
ModelInfo serving_model(const ApplicationState& state);

}  // namespace apmt::service
