#include "service/routes.h"

#include <charconv>
#include <cmath>

#include "base/listed.h"

namespace apmt::service {
namespace {

std::vector<std::string> segments(const std::string& pattern) {
  std::vector<std::string> list;
  std::string segment;
  for (const char c : pattern + "/") {
    if (c != '/') {
      segment += c;
    } else if (!segment.empty()) {
      list.push_back(segment);
      segment.clear();
    }
  }
  return list;
}

bool fits(const std::vector<std::string>& pattern, const std::vector<std::string>& path,
          std::map<std::string, std::string>* values) {
  if (pattern.size() != path.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (pattern[i].starts_with('{'))
      (*values)[pattern[i].substr(1, pattern[i].size() - 2)] = path[i];
    else if (pattern[i] != path[i])
      return false;
  }
  return true;
}

}  // namespace

const std::vector<Route>& routes() {
  const std::vector<Parameter> kLabels = {{"name", "string", false, "Name of the application"},
                                          {"machine", "string", false, "Machine of its runs"},
                                          {"version", "string", false, "Version of the program"}};
  const std::vector<Parameter> kPage = {
      {"after", "integer", false, "Continue after this id or number"},
      {"most", "integer", false, "Most entries to return, up to 1000"}};
  const std::vector<Parameter> kScenario = {
      {"set", "string", false, "Problem sizes: n=4096,steps=100"},
      {"scaling", "string", false, "strong or weak"},
      {"confidence", "number", false, "Nominal coverage of the interval in percent"}};
  const auto with = [](std::vector<Parameter> first, const std::vector<Parameter>& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
  };
  const std::vector<Parameter> kOfApplication =
      with({{"application", "integer", false, "Its application, if several have the same run"}},
           kLabels);
  const Parameter procs{"procs", "string", true, "Process counts: 64,256"};
  const Parameter deadline{"deadline_s", "number", false, "Deadline in seconds"};
  const Parameter budget{"budget_core_hours", "number", false, "Budget in core-hours"};
  const std::vector<Parameter> sides = {
      {"before", "integer", true, "Id of an application"},
      {"after", "integer", true, "Id of another version, or of the same one on another machine"}};
  constexpr Role kReader = Role::kReader;
  constexpr const char* kHtml = "text/html";
  constexpr const char* kJson = "application/json";
  const auto response = [](const char* definition) {
    return std::string("service-answers.schema.json#/$defs/") + definition;
  };
  static const std::vector<Route> kRoutes = {
      {"GET", "/healthz", {}, "Whether the server answers", {}, show_health, response("health")},
      {"GET", "/metrics", kReader, "Counters for Prometheus", {}, show_metrics, {}, "text/plain"},
      {"GET", "/api/v1/openapi.json", {}, "This document", {}, show_openapi},
      {"GET", "/api/v1/schemas/{schema}", {}, "A schema that this document names", {}, show_schema},
      {"GET",
       "/api/v1/token",
       kReader,
       "What the token of the request may do",
       {},
       show_token,
       response("token")},
      {"GET", "/api/v1/applications", kReader, "Applications and their state", with(kLabels, kPage),
       list_applications, response("applications")},
      {"GET",
       "/api/v1/applications/{application}",
       kReader,
       "One application",
       {},
       show_application,
       response("application")},
      {"GET", "/api/v1/applications/{application}/runs", kReader,
       "Its runs in the order in which they came", kPage, list_runs, response("runs")},
      {"GET",
       "/api/v1/applications/{application}/models",
       kReader,
       "Its models and failed attempts, the newest first",
       {},
       list_models,
       response("attempts")},
      {"GET",
       "/api/v1/applications/{application}/model",
       kReader,
       "The model that serves, as model.json",
       {},
       show_model,
       "model.schema.json"},
      {"GET", "/api/v1/applications/{application}/predict", kReader,
       "Predictions, as apmt predict --json prints them",
       with(with({procs}, kScenario), {deadline}), predict_time, "prediction.schema.json"},
      {"GET", "/api/v1/applications/{application}/ask", kReader,
       "Processes and nodes for a deadline or a budget", with({deadline, budget}, kScenario),
       ask_procs, "answer.schema.json"},
      {"GET",
       "/api/v1/applications/{application}/track-record",
       kReader,
       "How right earlier predictions of this application were",
       {},
       show_track_record,
       response("track_record")},
      {"GET",
       "/api/v1/applications/{application}/history",
       kReader,
       "The times of its program on its machine over all versions, and where they changed",
       {},
       show_history,
       "report.schema.json"},
      {"GET",
       "/api/v1/track-record",
       kReader,
       "How right the earlier predictions of all applications were",
       {},
       show_track_record,
       response("track_record")},
      {"GET", "/api/v1/diff", kReader,
       "What changed between the measured times of two applications", sides, compare_models,
       "difference.schema.json"},
      {"POST", "/api/v1/runs", Role::kPusher,
       "Adds a run: the body is a profile.json, which may be compressed (gzip, deflate)", kLabels,
       push_run, response("pushed_run"), kJson, true},
      {"GET", "/api/v1/runs/{run}", kReader, "One run, by its SHA-256", kOfApplication, show_run,
       response("run"), kJson, false, true},
      {"GET", "/api/v1/runs/{run}/profile", kReader, "Its profile.json", kOfApplication,
       show_profile, "profile.schema.json"},
      {"DELETE", "/api/v1/runs/{run}", Role::kKeeper, "Takes a run out of future fits",
       with({{"reason", "string", true, "Why; it is shown with the run"}}, kOfApplication),
       take_out_run, response("run")},
      {"GET",
       "/api/v1/audit",
       Role::kKeeper,
       "Who changed what, the newest first",
       {{"most", "integer", false, "Most entries to return, up to 1000"}},
       list_audit,
       response("audit")},
      {"GET", "/", kReader, "Page: all applications", kPage, page_of_applications, {}, kHtml},
      {"GET",
       "/applications/{application}",
       kReader,
       "Page: one application",
       {},
       page_of_application,
       {},
       kHtml},
      {"GET",
       "/applications/{application}/history",
       kReader,
       "Page: the times of its program over all versions",
       {},
       page_of_history,
       {},
       kHtml},
      {"GET",
       "/applications/{application}/report",
       kReader,
       "Page: the report of its model",
       {},
       page_of_report,
       {},
       kHtml},
      {"GET",
       "/track-record",
       kReader,
       "Page: how right earlier predictions were",
       {},
       page_of_track_record,
       {},
       kHtml},
      {"GET",
       "/compare",
       kReader,
       "Page: two versions or machines compared",
       sides,
       page_of_comparison,
       {},
       kHtml},
  };
  return kRoutes;
}

Match match_route(const std::string& method, const Target& target) {
  std::vector<std::string> allowed;
  for (const Route& route : routes()) {
    Match match{&route, {}};
    if (!fits(segments(route.pattern), target.path, &match.path)) continue;
    if (route.method == method) return match;
    allowed.push_back(route.method);
  }
  if (allowed.empty())
    throw HttpProblem(404, "there is nothing at this address", "see /api/v1/openapi.json");
  throw HttpProblem(405, "this address allows only " + listed(allowed));
}

std::string Call::text(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? std::string() : found->second;
}

std::optional<double> Call::number(const std::string& name) const {
  const std::string given = text(name);
  if (given.empty()) return std::nullopt;
  double value = 0;
  const char* end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value))
    throw HttpProblem(400, name + ": expected a number");
  return value;
}

int Call::whole(const std::string& name, int low, int high, int otherwise) const {
  const std::optional<double> value = number(name);
  if (!value) return otherwise;
  if (*value < low || *value > high || *value != std::floor(*value))
    throw HttpProblem(400, name + ": expected a whole number from " + std::to_string(low) + " to " +
                               std::to_string(high));
  return static_cast<int>(*value);
}

std::int64_t Call::id(const std::string& name) const {
  const std::string& given = path.at(name);
  std::int64_t value = 0;
  const char* end = given.data() + given.size();
  const auto [stop, error] = std::from_chars(given.data(), end, value);
  if (error != std::errc() || stop != end || value < 1)
    throw HttpProblem(404, "ids of applications are whole numbers");
  return value;
}

HttpResponse json_response(const Json& json, int status) {
  return {status, "application/json", format_json(json), {}};
}

}  // namespace apmt::service
