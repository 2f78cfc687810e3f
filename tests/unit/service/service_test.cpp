// Tests of the service without a network: who may do what, and the responses to requests.

#include "service/service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <set>

#include "service/packed.h"
#include "service/refit.h"
#include "service/tokens.h"
#include "store_fixture.h"

namespace apmt::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::planted_run;
using testing::StoreInFolder;

class ServiceTest : public ::testing::Test {
 protected:
  ServiceTest() {
    reader = add(Role::kReader);
    pusher = add(Role::kPusher);
    keeper = add(Role::kKeeper);
    configuration.requests_per_s = 0;
    configuration.failures_per_s = 0;
  }

  std::string add(Role role, const Scope& scope = {}) {
    const NewToken token = make_token(to_string(role), role, std::nullopt, scope);
    here.store->add_token(token.stored, "me");
    return "Bearer " + token.text;
  }

  Service& service() {
    if (!service_)
      // The worker's command only sleeps, because these tests refit by themselves.
      service_ = std::make_unique<Service>(*here.store, configuration,
                                           std::vector<std::string>{"sleep", "600"},
                                           [this](const LogLine& line) { note(line); });
    return *service_;
  }

  void note(const LogLine& line) {
    const std::scoped_lock lock(mutex);
    log += line.event;
    for (const auto& [name, value] : line.fields) log += " " + name + "=" + value;
    log += "\n";
  }

  HttpResponse ask(const std::string& method, const std::string& target,
                   const std::string& authorization, const std::string& body = {},
                   const std::string& site = {}) {
    HttpRequest request{method, target, "192.0.2.1", authorization, "", site, "", {}};
    Admission admission = service().admit(request);
    if (admission.refusal) return *admission.refusal;
    if (body.size() > admission.most_body_bytes) return {413, "", "", {}};
    request.caller = admission.caller;
    request.body = body;
    return service().answer(request);
  }
  HttpResponse get(const std::string& target) { return ask("GET", target, reader); }

  std::int64_t fitted(const RunLabels& labels = {"", "", "v1"}, int repetition = 1) {
    std::int64_t application = 0;
    for (const int procs : {2, 4, 8})
      application = here.add(planted_run(procs, repetition, labels));
    refit(*here.store, application, synthetic::fit_options().configs);
    return application;
  }
  static std::string at(std::int64_t application, const std::string& rest) {
    return "/api/v1/applications/" + std::to_string(application) + rest;
  }

  StoreInFolder here;
  Configuration configuration;
  std::string reader;
  std::string pusher;
  std::string keeper;
  std::mutex mutex;
  std::string log;
  std::unique_ptr<Service> service_;  // destroyed first: it uses the store and the log
};

TEST_F(ServiceTest, EveryAddressWantsItsRole) {
  for (const Route& route : routes()) {
    std::string target = route.pattern;
    if (const std::size_t place = target.find("{application}"); place != std::string::npos)
      target.replace(place, 13, "1");
    if (const std::size_t place = target.find("{run}"); place != std::string::npos)
      target.replace(place, 5, std::string(64, 'a'));
    if (const std::size_t place = target.find("{schema}"); place != std::string::npos)
      target.replace(place, 8, "model.schema.json");
    const int nobody = ask(route.method, target, "").status;
    if (!route.role) {
      EXPECT_EQ(nobody, 200) << target;
      continue;
    }
    EXPECT_EQ(nobody, 401) << target;
    EXPECT_EQ(ask(route.method, target, "Bearer apmt_wrong").status, 401) << target;
    const std::vector<std::pair<Role, std::string>> all = {
        {Role::kReader, reader}, {Role::kPusher, pusher}, {Role::kKeeper, keeper}};
    for (const auto& [role, token] : all) {
      const int status = ask(route.method, target, token).status;
      if (role < *route.role)
        EXPECT_EQ(status, 403) << target << " for a " << to_string(role);
      else
        EXPECT_NE(status, 403) << target << " for a " << to_string(role);
    }
  }
}

TEST_F(ServiceTest, ATokenForOneApplicationSeesAndChangesNoOther) {
  const std::int64_t own = fitted({"own", "m", "v1"});
  const std::int64_t other = fitted({"foreign-app", "m", "v1"}, 2);
  const std::string token = add(Role::kKeeper, Scope({"own", "unknown"}));
  here.add(planted_run(16, 1, {"own", "m", "v1"}));
  const NewRun foreign = planted_run(16, 2, {"foreign-app", "m", "v1"});
  here.add(foreign);
  for (const std::int64_t application : {own, other})
    refit(*here.store, application, synthetic::fit_options().configs);  // makes forecasts
  const std::string id = std::to_string(other);

  for (const Route& route : routes()) {
    std::string target = route.pattern;
    if (const std::size_t place = target.find("{application}"); place != std::string::npos)
      target.replace(place, 13, id);
    if (const std::size_t place = target.find("{run}"); place != std::string::npos)
      target.replace(place, 5, foreign.id);
    if (target.ends_with("/predict")) target += "?procs=4";
    if (target.ends_with("/ask")) target += "?deadline_s=1";
    if (target.ends_with("/compare") || target.ends_with("/diff"))
      target += "?before=" + std::to_string(own) + "&after=" + id;
    if (std::string(route.method) == "DELETE") target += "?reason=x";
    const HttpResponse response = ask(route.method, target, token);
    const bool names_it = target.find(id + "/") != std::string::npos ||
                          target.ends_with("/" + id) ||
                          target.find("after=" + id) != std::string::npos ||
                          target.find(foreign.id) != std::string::npos;
    if (names_it) {
      EXPECT_EQ(response.status, 404) << route.method << " " << target;
    }
    EXPECT_THAT(response.body, Not(HasSubstr("foreign-app"))) << route.method << " " << target;
  }
  EXPECT_FALSE(here.find(foreign).taken_out_because);
  EXPECT_EQ(ask("GET", "/api/v1/audit", token).status, 403);
  EXPECT_THAT(ask("GET", "/api/v1/applications", token).body, HasSubstr("\"own\""));
  EXPECT_THAT(ask("GET", "/", token).body, HasSubstr(">own<"));
  EXPECT_EQ(ask("GET", at(own, "/predict?procs=32"), token).status, 200);
  EXPECT_THAT(ask("GET", "/api/v1/track-record", token).body,
              HasSubstr("\"application\": " + std::to_string(own)));

  const std::string profile = planted_run(32).profile;
  EXPECT_EQ(ask("POST", "/api/v1/runs?name=foreign-app", token, profile).status, 403);
  EXPECT_EQ(ask("POST", "/api/v1/runs?name=own", token, profile).status, 201);
  // If another application already has the same run, the response must not reveal this, and the run
  // must be accepted.
  const HttpResponse claimed = ask("POST", "/api/v1/runs?name=own", token, foreign.profile);
  EXPECT_EQ(claimed.status, 201);
  const Json shown = Json::parse(ask("GET", "/api/v1/runs/" + foreign.id, token).body);
  EXPECT_EQ(shown["application"], Json::parse(claimed.body)["application"]);
  EXPECT_EQ(ask("DELETE", "/api/v1/runs/" + foreign.id + "?reason=mine", token).status, 200);
  for (const StoredRun& run : here.store->runs_with({.id = foreign.id}))
    EXPECT_EQ(run.taken_out_because.has_value(), run.application == shown["application"]);
  EXPECT_THROW(make_token("n", Role::kReader, std::nullopt, Scope({""})), InputError);
}

TEST_F(ServiceTest, AnonymousReadingAllowsNothingElse) {
  configuration.anonymous_reading = true;
  EXPECT_EQ(ask("GET", "/api/v1/applications", "").status, 200);
  EXPECT_EQ(ask("POST", "/api/v1/runs", "").status, 401);
  EXPECT_EQ(ask("GET", "/api/v1/audit", "").status, 401);
  EXPECT_EQ(ask("GET", "/api/v1/applications", "Bearer wrong").status, 401)
      << "a wrong token is not the same as none";
}

TEST_F(ServiceTest, ChangesNeedABearerTokenFromTheSameSite) {
  const NewRun run = planted_run(4);
  EXPECT_EQ(ask("POST", "/api/v1/runs", pusher, run.profile, "cross-site").status, 403);
  EXPECT_EQ(ask("POST", "/api/v1/runs", pusher, run.profile, "same-origin").status, 201);
  EXPECT_EQ(here.store->count_runs(), 1);
}

TEST_F(ServiceTest, AcceptedRunsAreInTheStore) {
  const NewRun run = planted_run(4);
  const HttpResponse first = ask("POST", "/api/v1/runs?name=x&version=v9", pusher, run.profile);
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(Json::parse(first.body)["id"], run.id);
  EXPECT_EQ(here.store->profile_of(here.number_of(run)), run.profile);
  EXPECT_EQ(here.store->applications({.name = "x", .version = "v9"}).size(), 1u);
  EXPECT_EQ(ask("POST", "/api/v1/runs?name=x&version=v9", pusher, run.profile).status, 200)
      << "known already";
  EXPECT_EQ(here.store->count_runs(), 1);
  EXPECT_EQ(get("/api/v1/runs/" + run.id + "/profile").body, run.profile);
}

TEST_F(ServiceTest, BadProfilesAreRefusedInWords) {
  for (const std::string& body : {std::string("{}"), std::string("no JSON"), std::string(),
                                  std::string(5000, '['), std::string("{\"format\": 3}")}) {
    const HttpResponse response = ask("POST", "/api/v1/runs", pusher, body);
    EXPECT_EQ(response.status, 422) << body.substr(0, 20);
    EXPECT_NE(Json::parse(response.body).value("error", ""), "");
  }
  EXPECT_EQ(here.store->count_runs(), 0);
  EXPECT_THAT(ask("GET", "/metrics", reader).body,
              HasSubstr("apmt_pushes_total{outcome=\"refused\"} 5"));
}

TEST_F(ServiceTest, ABombIsRefusedAtTheLimit) {
  configuration.profile_bytes = 1 << 20;
  HttpRequest request{
      "POST", "/api/v1/runs", "192.0.2.1", pusher, "deflate", "", pack(std::string(1 << 24, ' ')),
      {}};
  const Admission admission = service().admit(request);
  ASSERT_FALSE(admission.refusal);
  request.caller = admission.caller;
  const HttpResponse response = service().answer(request);
  EXPECT_EQ(response.status, 422);
  EXPECT_THAT(response.body, HasSubstr("unpacks to more than 1048576 bytes"));
}

TEST_F(ServiceTest, PredictsAsTheLibraryDoes) {
  const std::int64_t application = fitted();
  const Model model =
      synthetic::fit_runs({synthetic::halo_run(2), synthetic::halo_run(4), synthetic::halo_run(8)});
  Scenario scenario;
  scenario.procs = 64;
  EXPECT_EQ(Json::parse(get(at(application, "/predict?procs=64")).body),
            to_json(predict(model, scenario)));
  const Json two =
      Json::parse(get(at(application, "/predict?procs=64,128&deadline_s=10&set=n=2048")).body);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[1]["procs"], 128);
  EXPECT_EQ(two[0]["params"]["n"], 2048);
  EXPECT_EQ(two[0]["outlook"]["deadline_s"], 10);
  const Json answer = Json::parse(get(at(application, "/ask?deadline_s=2")).body);
  EXPECT_GT(answer["choice"]["procs"], 8);
}

TEST_F(ServiceTest, QuestionsThatMakeNoSenseAreRefused) {
  const std::int64_t application = fitted();
  for (const char* rest :
       {"/predict", "/predict?procs=", "/predict?procs=0", "/predict?procs=-3",
        "/predict?procs=1e3", "/predict?procs=99999999999", "/predict?procs=8&set=n",
        "/predict?procs=8&set=n=nan", "/predict?procs=8&confidence=100",
        "/predict?procs=8&scaling=up", "/predict?procs=8&typo=1", "/predict?procs=8&procs=9",
        "/ask", "/ask?deadline_s=1&budget_core_hours=1", "/ask?deadline_s=-1",
        "/predict?procs=8&set=zz=1"}) {
    const int status = get(at(application, rest)).status;
    EXPECT_TRUE(status == 400 || status == 422) << rest << ": " << status;
  }
  for (const char* target :
       {"/api/v1/applications/0", "/api/v1/applications/99", "/api/v1/applications/x",
        "/api/v1/applications/1%27", "/api/v1/runs/../../etc/passwd", "/api/v1/runs/zz",
        "/..%2f..%2fetc%2fpasswd", "/etc/passwd", "/applications/1/report/../..", "/%00"}) {
    const int status = get(target).status;
    EXPECT_TRUE(status == 400 || status == 404) << target << ": " << status;
  }
  EXPECT_EQ(ask("PUT", "/api/v1/runs", keeper).status, 405);
}

TEST_F(ServiceTest, SaysWhyThereIsNoModel) {
  const std::int64_t application = here.add(planted_run(4));
  const HttpResponse pending = get(at(application, "/predict?procs=8"));
  EXPECT_EQ(pending.status, 409);
  EXPECT_THAT(pending.body, HasSubstr("being fitted"));
  refit(*here.store, application, synthetic::fit_options().configs);
  EXPECT_THAT(get(at(application, "/predict?procs=8")).body, HasSubstr("there is no model yet: "));
}

TEST_F(ServiceTest, AKeeperTakesARunOut) {
  const NewRun run = planted_run(4);
  here.add(run);
  const std::string target = "/api/v1/runs/" + run.id;
  EXPECT_EQ(ask("DELETE", target, keeper).status, 400) << "without a reason";
  EXPECT_EQ(ask("DELETE", target + "?reason=wrong+input", pusher).status, 403);
  EXPECT_EQ(ask("DELETE", target + "?reason=wrong+input", keeper).status, 200);
  EXPECT_EQ(here.find(run).taken_out_because, "wrong input");
  EXPECT_EQ(ask("DELETE", target + "?reason=again", keeper).status, 409);
  EXPECT_THAT(ask("GET", "/api/v1/audit", keeper).body, HasSubstr("wrong input"));
}

TEST_F(ServiceTest, ARunOfSeveralApplicationsIsNamedWithOneOfThem) {
  const NewRun run = planted_run(4);
  std::vector<std::string> ids;
  for (const char* name : {"a", "b"})
    ids.push_back(std::to_string(here.add(planted_run(4, 1, {name, "m", "v1"}))));
  const std::string target = "/api/v1/runs/" + run.id;
  for (const char* method : {"GET", "DELETE"}) {
    const std::string query = method == std::string("GET") ? "?" : "?reason=r&";
    const HttpResponse several = ask(method, target + query, keeper);
    EXPECT_EQ(several.status, 409) << method;
    EXPECT_THAT(several.body, HasSubstr("several applications have this run: "));
    EXPECT_THAT(several.body, HasSubstr("?application=" + ids[0]));
    EXPECT_EQ(ask(method, target + query + "application=99", keeper).status, 404);
    const HttpResponse one = ask(method, target + query + "application=" + ids[1], keeper);
    EXPECT_EQ(one.status, 200) << method;
    EXPECT_EQ(Json::parse(one.body)["application"].dump(), ids[1]);
  }
  EXPECT_EQ(get(target + "?name=a&machine=m&version=v1").status, 200);
  EXPECT_EQ(get(target + "?name=a&version=v2").status, 404);
  EXPECT_EQ(get(target + "/profile").body, run.profile) << "it is the same in both";
  for (const StoredRun& each : here.store->runs_with({.id = run.id}))
    EXPECT_EQ(each.taken_out_because.has_value(), std::to_string(each.application) == ids[1]);
}

TEST_F(ServiceTest, PagesEscapeEveryName) {
  const std::string evil = "<script>alert(1)</script>\"'&";
  const std::int64_t application = fitted({evil, evil, evil});
  const NewRun out = planted_run(16, 1, {evil, evil, evil});
  here.add(out);
  here.store->take_out(here.number_of(out), evil, "me");
  for (const std::string& target :
       {std::string("/"), "/applications/" + std::to_string(application),
        "/applications/" + std::to_string(application) + "/report", std::string("/track-record")}) {
    const HttpResponse page = get(target);
    EXPECT_EQ(page.status, 200) << target << page.body.substr(0, 400);
    EXPECT_THAT(page.body, Not(HasSubstr("<script>alert"))) << target;
    EXPECT_THAT(page.type, HasSubstr("text/html"));
    std::string policy;
    for (const auto& [name, value] : page.headers)
      if (name == "Content-Security-Policy") policy = value;
    EXPECT_THAT(policy, HasSubstr("default-src 'none'")) << target;
  }
  EXPECT_THAT(get("/").body, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
}

TEST_F(ServiceTest, PagesShowModelsForecastsAndComparisons) {
  const std::int64_t first = fitted();
  here.add(planted_run(16, 1, {"", "", "v1"}));
  refit(*here.store, first, synthetic::fit_options().configs);
  std::int64_t second = 0;
  for (const int procs : {2, 4, 8}) {
    synthetic::PlantedRun slower = synthetic::halo_run(procs);
    slower.kernel_s["sweep"] *= 1.5;
    second = here.add(planted_run(synthetic::profile(slower), {"", "", "v2"}));
  }
  refit(*here.store, second, synthetic::fit_options().configs);
  const std::string list = get("/").body;
  EXPECT_THAT(list, HasSubstr("<svg")) << "a drawing of the curve";
  EXPECT_THAT(list, HasSubstr("href=\"/applications/" + std::to_string(second) + "\""));
  const std::string page = get("/applications/" + std::to_string(first)).body;
  EXPECT_THAT(page, HasSubstr("1 to 2 times the largest fitted count"));
  EXPECT_THAT(page, HasSubstr("/report\""));
  const std::string pair = "before=" + std::to_string(first) + "&after=" + std::to_string(second);
  EXPECT_THAT(page, HasSubstr("/compare?before=" + std::to_string(second)));
  EXPECT_EQ(get("/compare?" + pair).status, 200);
  bool is_slower = false;
  for (const Json& change : Json::parse(get("/api/v1/diff?" + pair).body))
    is_slower = is_slower || (change["what"] == "sweep" && change["after_s"] > change["before_s"]);
  EXPECT_TRUE(is_slower);
  const Json record = Json::parse(get("/api/v1/track-record").body);
  EXPECT_EQ(record["groups"][0]["kind"], "extrapolation");
  EXPECT_EQ(record["forecasts"].size(), 1u);
}

TEST_F(ServiceTest, LimitsRatesOfEachClientAndOfWrongTokens) {
  configuration.requests_per_s = 0.001;
  configuration.requests_burst = 3;
  configuration.failures_per_s = 0.001;
  configuration.failures_burst = 2;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get("/api/v1/applications").status, 200);
  EXPECT_EQ(get("/api/v1/applications").status, 429);
  EXPECT_EQ(ask("GET", "/api/v1/applications", pusher).status, 200) << "another token";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ask("GET", "/", "Bearer x").status, 401);
  EXPECT_EQ(ask("GET", "/", "Bearer x").status, 429);
  EXPECT_EQ(ask("GET", "/", keeper).status, 200) << "guessing blocks no valid token";
}

TEST_F(ServiceTest, RefusalsArePagesForBrowsersAndJsonForPrograms) {
  for (const char* target : {"/", "/applications/99", "/no-such-page", "/?parameter=unknown"})
    for (const std::string& token : {std::string(), keeper}) {
      const HttpResponse response = ask("GET", target, token);
      if (response.status == 200) continue;
      EXPECT_THAT(response.type, ::testing::StartsWith("text/html"))
          << target << ": " << response.status;
    }
  for (const char* target : {"/api/v1/applications", "/api/v1/no-such-address", "/metrics"})
    EXPECT_EQ(ask("GET", target, "").type, "application/json") << target;
}

TEST_F(ServiceTest, RefusalsAreLoggedAndCounted) {
  ask("GET", "/x%22%0ay\"\n", "");
  ask("GET", "/api/v1/applications", "Bearer wrong");
  EXPECT_THAT(log, HasSubstr("refused reason=wrong token status=401 peer=192.0.2.1 method=GET "
                             "target=/api/v1/applications"));
  EXPECT_THAT(ask("GET", "/metrics", reader).body,
              HasSubstr("apmt_refusals_total{reason=\"wrong token\"} 1"));
}

TEST_F(ServiceTest, EverySchemaThatTheOpenApiDocumentNamesIsServed) {
  const std::string prefix = "schemas/";
  std::set<std::string> named;
  const std::function<void(const Json&)> collect = [&](const Json& value) {
    if (value.is_object() && value.contains("$ref"))
      named.insert(value["$ref"].get<std::string>().substr(prefix.size()));
    if (value.is_structured())
      for (const Json& inner : value) collect(inner);
  };
  collect(openapi());
  EXPECT_GT(named.size(), 10u);
  for (const std::string& reference : named) {
    const std::string file = reference.substr(0, reference.find('#'));
    const HttpResponse response = ask("GET", "/api/v1/schemas/" + file, "");
    ASSERT_EQ(response.status, 200) << file;
    const Json schema = Json::parse(response.body);
    EXPECT_FALSE(schema.contains("$id")) << "its references would lead away from this server";
    if (reference == file) continue;
    const std::string pointer = reference.substr(file.size() + 1);
    EXPECT_TRUE(schema.contains(Json::json_pointer(pointer))) << reference;
  }
  EXPECT_EQ(ask("GET", "/api/v1/schemas/none", "").status, 404);
}

TEST_F(ServiceTest, ATokenCanAskWhatItMayDo) {
  EXPECT_EQ(Json::parse(ask("GET", "/api/v1/token", pusher).body),
            Json::parse(R"({"name": "pusher", "role": "pusher", "only": null})"));
  EXPECT_EQ(ask("GET", "/api/v1/token", "").status, 401);
}

TEST_F(ServiceTest, TheOpenApiDocumentNamesEveryRoute) {
  const Json document = Json::parse(ask("GET", "/api/v1/openapi.json", "").body);
  EXPECT_EQ(document, openapi());
  std::size_t count = 0;
  for (const auto& [path, methods] : document["paths"].items())
    for (const auto& [method, operation] : methods.items()) {
      ++count;
      EXPECT_TRUE(operation.contains("summary") && operation.contains("responses")) << path;
      for (const Json& parameter : operation["parameters"]) {
        if (parameter["in"] != "path") continue;
        EXPECT_THAT(path, HasSubstr("{" + parameter["name"].get<std::string>() + "}"));
      }
    }
  std::size_t expected = 0;
  for (const Route& route : routes()) expected += std::string(route.returns) == "text/html" ? 0 : 1;
  EXPECT_EQ(count, expected);
}

}  // namespace
}  // namespace apmt::service
