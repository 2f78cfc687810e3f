#include "service/client.h"

#include <chrono>
#include <thread>

#include "base/input_error.h"
#include "service/digest.h"
#include "service/packed.h"
#include "service/store.h"

namespace apmt::service {
namespace {

[[noreturn]] void fail(const HttpClient& client, const ServerAnswer& answer) {
  std::string message = "the server answered with status " + std::to_string(answer.status);
  std::string hint;
  try {
    const Json json = Json::parse(answer.body);
    message = json.at("error").get<std::string>();
    hint = json.value("hint", "");
  } catch (const Json::exception&) {
    // The answer is not a message from apmt serve. It may come from a proxy in front of the server.
  }
  if (answer.status == 401) hint = "set APMT_TOKEN to a token (apmt serve token add)";
  if (answer.status == 413 && hint.empty())
    hint =
        "the run is larger than apmt serve (body_bytes) or a proxy (nginx: client_max_body_size) "
        "accepts";
  if (answer.status == 502 || answer.status == 504)
    hint = "the proxy does not reach apmt serve: is that running?";
  throw InputError(client.url(), message, hint,
                   answer.status == 409 ? ExitCode::kNotEnoughData : ExitCode::kFailed);
}

Json json_of_answer(const HttpClient& client, const ServerAnswer& answer) {
  if (answer.status != 200 && answer.status != 201) fail(client, answer);
  return parse_json(answer.body, client.url());
}

std::string query_of(const RunLabels& labels) {
  std::string query;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) query += (query.empty() ? "?" : "&") + (name + ("=" + escaped(value)));
  };
  add("name", labels.name);
  add("machine", labels.machine);
  add("version", labels.version);
  return query;
}

/// The application with the newest run.
Json newest_of(const HttpClient& client, const Json& list, const Wanted& wanted) {
  const Json* newest = nullptr;
  for (const Json& application : list)
    if (newest == nullptr || application.at("last_run_at").get<std::string>() >=
                                 newest->at("last_run_at").get<std::string>())
      newest = &application;
  if (newest == nullptr)
    throw InputError(client.url(), "has no run of " + wanted.labels.name,
                     "push runs first: apmt push DIR --to " + client.url(),
                     ExitCode::kNotEnoughData);
  return *newest;
}

}  // namespace

void check_may_push(HttpClient& client) {
  const Json token = json_of_answer(client, client.get("/api/v1/token"));
  if (token.at("role").get<std::string>() == to_string(Role::kReader))
    throw InputError(client.url(), "this needs the role " + to_string(Role::kPusher),
                     "set APMT_TOKEN to a token with that role (apmt serve token add --role " +
                         to_string(Role::kPusher) + ")",
                     ExitCode::kFailed);
}

Pushed push_profile(HttpClient& client, const RunProfile& profile, const RunLabels& labels) {
  const std::string bytes = canonical_bytes(profile);
  const std::string id = sha256(bytes);
  // The query has the labels, because another application of the server may have the same run.
  const ServerAnswer known =
      client.get("/api/v1/runs/" + id + query_of(labels_of(profile, labels)));
  if (known.status == 200) return {id, false};
  if (known.status != 404) fail(client, known);
  const Json json =
      json_of_answer(client, client.post_packed("/api/v1/runs" + query_of(labels), pack(bytes)));
  return {json.at("id").get<std::string>(), json.at("is_new").get<bool>()};
}

Model fetch_model(HttpClient& client, const Wanted& wanted, const std::function<void()>& on_wait) {
  constexpr std::chrono::milliseconds kPause{250};
  const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(wanted.wait_s);
  bool has_waited = false;
  while (true) {
    const Json list =
        json_of_answer(client, client.get("/api/v1/applications" + query_of(wanted.labels)));
    const Json application = newest_of(client, list, wanted);
    const bool is_pending = application.at("is_pending").get<bool>();
    if (!is_pending || std::chrono::steady_clock::now() > last) {
      const std::string id = std::to_string(application.at("id").get<std::int64_t>());
      const Json model =
          json_of_answer(client, client.get("/api/v1/applications/" + id + "/model"));
      return model_from_json(model, client.url());
    }
    if (!has_waited) on_wait();
    has_waited = true;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace apmt::service
