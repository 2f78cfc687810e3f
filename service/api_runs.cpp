// Handlers for runs: runs are received, shown, and excluded from fits.

#include <algorithm>

#include "base/input_error.h"
#include "base/listed.h"
#include "service/digest.h"
#include "service/packed.h"
#include "service/routes.h"

namespace apmt::service {
namespace {

/// The body as text, unpacked if it is compressed.
std::string profile_text(const Context& context, const HttpRequest& request) {
  const std::string& encoding = request.content_encoding;
  if (encoding.empty() || encoding == "identity") {
    if (request.body.size() > context.most_profile_bytes)
      throw HttpProblem(413, "the profile is larger than " +
                                 std::to_string(context.most_profile_bytes) + " bytes");
    return request.body;
  }
  if (encoding != "gzip" && encoding != "deflate")
    throw HttpProblem(415, "Content-Encoding is gzip, deflate or identity");
  return unpack(request.body, context.most_profile_bytes, "the body");
}

NewRun new_run(const Context& context, const Call& call) {
  NewRun run;
  const RunProfile profile = profile_from_text(profile_text(context, call.request), "the profile");
  run.labels = labels_of(profile, {call.text("name"), call.text("machine"), call.text("version")});
  run.profile = canonical_bytes(profile);
  run.id = sha256(run.profile);
  run.procs = profile.config.procs;
  run.params = profile.config.params;
  run.repetition = profile.config.repetition;
  run.started_at = profile.started_at;
  run.elapsed_s = profile.times.wall_s.max();
  run.pushed_by = call.request.caller->token;
  return run;
}

/// The runs with the id {run} that the caller may see. An application, name, machine or version in
/// the query selects among them.
std::vector<StoredRun> runs_of_call(Context& context, const Call& call) {
  constexpr int kLargestId = 1 << 30;
  RunFilter filter{.id = call.path.at("run"), .scope = scope_of(call)};
  if (const int application = call.whole("application", 1, kLargestId, 0); application > 0)
    filter.application = application;
  filter.labels = {call.text("name"), call.text("machine"), call.text("version")};
  std::vector<StoredRun> runs = context.store.runs_with(filter);
  if (runs.empty()) throw HttpProblem(404, "there is no such run");
  return runs;
}

/// The one run that a request is about.
StoredRun run_of_call(Context& context, const Call& call) {
  const std::vector<StoredRun> runs = runs_of_call(context, call);
  if (runs.size() == 1) return runs.front();
  std::vector<std::string> applications;
  for (const StoredRun& run : runs) applications.push_back(std::to_string(run.application));
  throw HttpProblem(409, "several applications have this run: " + listed(applications),
                    "name one: ?application=" + applications.front());
}

Json json_of_run(const StoredRun& run) {
  return {{"number", run.number},
          {"id", run.id},
          {"application", run.application},
          {"procs", run.procs},
          {"params", run.params},
          {"repetition", run.repetition},
          {"started_at", run.started_at},
          {"elapsed_s", run.elapsed_s},
          {"received_at", run.received_at},
          {"pushed_by", run.pushed_by},
          {"taken_out_because", run.taken_out_because ? Json(*run.taken_out_because) : Json()}};
}

}  // namespace

HttpResponse push_run(Context& context, const Call& call) {
  AddedRun added;
  try {
    const NewRun run = new_run(context, call);
    if (!scope_of(call).contains(run.labels.name))
      throw HttpProblem(403, "this token is not for the application '" + run.labels.name + "'",
                        "give another name, or ask for a token for it");
    added = context.store.add_run(run);
  } catch (const InputError& error) {
    context.metrics.count_push("refused");
    if (error.code() == ExitCode::kFailed) throw;
    throw HttpProblem(422, error.what(), error.hint());
  }
  context.metrics.count_push(added.is_new ? "new" : "known");
  if (added.is_new) {
    context.log({LogLine::Level::kInfo,
                 "pushed",
                 {{"run", added.run.id},
                  {"application", std::to_string(added.run.application)},
                  {"token", added.run.pushed_by}}});
  }
  // A known run may have been stored by a request that then failed (for example, it lost the
  // database) before it asked for a fit.
  context.refitter.request(added.run.application);
  Json json = json_of_run(added.run);
  json["is_new"] = added.is_new;
  return json_response(json, added.is_new ? 201 : 200);
}

HttpResponse show_run(Context& context, const Call& call) {
  return json_response(json_of_run(run_of_call(context, call)));
}

HttpResponse show_profile(Context& context, const Call& call) {
  return {200,
          "application/json",
          context.store.profile_of(runs_of_call(context, call).front().number),
          {}};
}

HttpResponse take_out_run(Context& context, const Call& call) {
  constexpr std::size_t kLongest = 1000;
  const std::string reason = call.text("reason");
  if (reason.empty() || reason.size() > kLongest)
    throw HttpProblem(400,
                      "reason: expected a text of at most " + std::to_string(kLongest) + " bytes");
  const StoredRun run = run_of_call(context, call);
  if (!context.store.take_out(run.number, reason, call.request.caller->token))
    throw HttpProblem(409, "the run was taken out before: " + run.taken_out_because.value_or(""));
  context.refitter.request(run.application);
  return json_response(json_of_run(*context.store.run(run.number)));
}

HttpResponse list_runs(Context& context, const Call& call) {
  const ApplicationState state = application_of(context, call);
  Json list = Json::array();
  for (const StoredRun& run :
       context.store.runs_of(state.application.id, call.whole("after", 0, 1 << 30, 0),
                             call.whole("most", 1, 1000, 1000)))
    list.push_back(json_of_run(run));
  return json_response(list);
}

}  // namespace apmt::service
