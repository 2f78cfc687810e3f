#include "service/service.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "base/input_error.h"
#include "service/pages.h"
#include "service/tokens.h"

namespace apmt::service {
namespace {

constexpr std::size_t kLongestLogged = 200;

/// The path of a target, for the log. It is shortened because clients choose the names in it, which
/// may be long. The part after the question mark is left out, because a client may have put a
/// secret there by mistake.
std::string shortened(const std::string& target) {
  std::string text;
  for (const char c : target.substr(0, std::min(kLongestLogged, target.find('?'))))
    text += c >= 0x21 && c < 0x7f && c != '"' && c != '\\' ? c : '?';
  return text;
}

/// Whether the answer is for a person with a browser: true for all addresses but those for
/// programs.
bool is_for_browsers(const HttpRequest& request) {
  const std::string path = request.target.substr(0, request.target.find('?'));
  return !path.starts_with("/api/") && path != "/healthz" && path != "/metrics";
}

/// An error, as a page for browsers and as JSON for programs.
HttpResponse problem(const HttpRequest& request, int status, const std::string& message,
                     const std::string& hint = {}) {
  return is_for_browsers(request) ? problem_page(status, message, hint)
                                  : problem_response(status, message, hint);
}

HttpResponse unauthorized(const HttpRequest& request, const char* message) {
  HttpResponse response =
      problem(request, 401, message,
              is_for_browsers(request)
                  ? "reload the page, and give any user name and your token as the password"
                  : "send the header `Authorization: Bearer TOKEN` (apmt serve token add)");
  // With this header, browsers ask for a user (any) and a password (the token).
  response.headers.emplace_back("WWW-Authenticate", "Basic realm=\"apmt\", charset=\"UTF-8\"");
  return response;
}

/// Checks that a query has only parameters of the route, and all that it needs.
void check_query(const Route& route, const std::map<std::string, std::string>& query) {
  for (const auto& [name, value] : query) {
    bool is_known = false;
    for (const Parameter& p : route.query) is_known = is_known || name == p.name;
    if (!is_known)
      throw HttpProblem(400, "this address has no such parameter", "see /api/v1/openapi.json");
  }
  for (const Parameter& p : route.query)
    if (p.is_required && !query.contains(p.name))
      throw HttpProblem(400, std::string(p.name) + ": missing");
}

}  // namespace

Service::Service(Store& store, const Configuration& configuration,
                 std::vector<std::string> refit_command, Log log)
    : store_(store),
      configuration_(configuration),
      log_(std::move(log)),
      models_(store, static_cast<std::size_t>(configuration.models_in_memory)),
      requests_(configuration.requests_per_s, configuration.requests_burst),
      failures_(configuration.failures_per_s, configuration.failures_burst),
      refitter_(store, std::move(refit_command), configuration.refit, configuration.retention,
                &metrics_, log_) {}

void Service::note_refusal(const std::string& reason, const std::string& peer) {
  metrics_.count_refusal(reason);
  log_({LogLine::Level::kWarning, "refused", {{"reason", reason}, {"peer", peer}}});
}

HttpResponse Service::refuse(const HttpRequest& request, const std::string& reason,
                             HttpResponse response) {
  metrics_.count_refusal(reason);
  log_({LogLine::Level::kWarning,
        "refused",
        {{"reason", reason},
         {"status", std::to_string(response.status)},
         {"peer", request.peer},
         {"method", shortened(request.method)},
         {"target", shortened(request.target)}}});
  return response;
}

/// Finds the caller. Returns a refusal if there is none, or if the caller may not use the route.
std::optional<Admission> Service::check_token(const HttpRequest& head, const Route& route,
                                              Admission* admission) {
  const auto refused = [&](const char* reason, HttpResponse response) {
    return Admission{refuse(head, reason, std::move(response)), {}, 0};
  };
  if (head.authorization.empty()) {
    if (*route.role != Role::kReader || !configuration_.anonymous_reading)
      return refused("no token", unauthorized(head, "this needs a token"));
    admission->caller = Caller{};
  } else {
    admission->caller = caller_of(store_, head.authorization);
    if (!admission->caller) {
      // This limits only wrong tokens, so a client with a valid token is never blocked by clients
      // that guess.
      if (!failures_.take(head.peer))
        return refused("too many wrong tokens", problem(head, 429, "too many wrong tokens"));
      return refused("wrong token", unauthorized(head, "the token is wrong, expired or revoked"));
    }
  }
  if (admission->caller->role < *route.role)
    return refused("role", problem(head, 403, "this needs the role " + to_string(*route.role)));
  // Browsers send a stored password even if another site has made the request. So requests that
  // change something need a bearer token, which browsers do not send by themselves.
  if (route.changes_something() &&
      (!is_bearer(head.authorization) || head.fetch_site == "cross-site"))
    return refused("not a bearer token",
                   problem(head, 403, "a change needs a bearer token, from the same site"));
  return std::nullopt;
}

Admission Service::admit(const HttpRequest& head) {
  try {
    const std::optional<Target> target = parse_target(head.target);
    if (!target) throw HttpProblem(400, "the address is malformed");
    const Match match = match_route(head.method, *target);
    Admission admission;
    if (match.route->role)
      if (std::optional<Admission> refused = check_token(head, *match.route, &admission))
        return *refused;
    const bool is_anonymous = !admission.caller || admission.caller->token.empty();
    if (!requests_.take(is_anonymous ? head.peer : admission.caller->token)) {
      HttpResponse response = problem(head, 429, "too many requests", "wait a second");
      response.headers.emplace_back("Retry-After", "1");
      return {refuse(head, "rate", std::move(response)), {}, 0};
    }
    check_query(*match.route, target->query);
    if (match.route->takes_profile) admission.most_body_bytes = configuration_.body_bytes;
    return admission;
  } catch (const HttpProblem& error) {
    return {
        refuse(head, "address", problem(head, error.status(), error.what(), error.hint())), {}, 0};
  } catch (const InputError& error) {
    log_({LogLine::Level::kError, "failed", {{"reason", error.what()}}});
    return {problem(head, 503, "the store cannot be read", "try again in a moment"), {}, 0};
  } catch (const std::exception& error) {
    log_({LogLine::Level::kError, "failed", {{"reason", error.what()}}});
    return {problem(head, 500, "unexpected error"), {}, 0};
  }
}

HttpResponse Service::answer(const HttpRequest& request) {
  const auto began = std::chrono::steady_clock::now();
  const Target target = *parse_target(request.target);
  const Match match = match_route(request.method, target);
  Context context{store_, models_, refitter_, metrics_, log_, configuration_.profile_bytes};
  HttpResponse response;
  try {
    response = match.route->handler(context, {request, match.path, target.query});
  } catch (const HttpProblem& error) {
    response = problem(request, error.status(), error.what(), error.hint());
  } catch (const InputError& error) {
    if (error.code() == ExitCode::kFailed) {
      log_({LogLine::Level::kError, "failed", {{"reason", error.what()}}});
      response = problem(request, 503, error.what(), error.hint());
    } else {
      response = problem(request, 422, error.what(), error.hint());
    }
  } catch (const std::bad_alloc&) {
    response = problem(request, 503, "there is not enough memory for this request");
  } catch (const std::exception& error) {
    log_({LogLine::Level::kError, "failed", {{"reason", error.what()}}});
    response = problem(request, 500, "unexpected error");
  }
  const bool is_answer =
      response.status < 400 || (response.status == 404 && match.route->may_find_nothing);
  if (!is_answer) (void)refuse(request, "request", {response.status, {}, {}, {}});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  metrics_.count_request(match.route->pattern, response.status, took.count());
  return response;
}

}  // namespace apmt::service
