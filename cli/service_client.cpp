// The functions of service_access.h with which verbs send requests to a server.

#include <cstdlib>
#include <set>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/listed.h"
#include "base/words.h"
#include "campaign/store/run_directory.h"
#include "cli/experiment_path.h"
#include "cli/logging.h"
#include "cli/progress.h"
#include "cli/service_access.h"
#include "profile/profile_files.h"
#include "service/client.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

std::string token_of(const ServerOptions& server) {
  if (server.token_file.empty()) {
    const char* token = std::getenv("APMT_TOKEN");
    return token == nullptr ? std::string() : token;
  }
  constexpr std::size_t kLongest = 4096;
  std::string token = read_whole_file(server.token_file, kLongest);
  token.resize(std::min(token.find_first_of("\r\n"), token.size()));
  return token;
}

service::HttpClient client_of(const ServerOptions& server) {
  if (server.url.empty())
    throw InputError("", "which server?", "give its URL, or set APMT_SERVER to it");
  return {server.url, token_of(server)};
}

}  // namespace

void check_can_push(const ServerOptions& server) {
  service::HttpClient client = client_of(server);
  service::check_may_push(client);
  logging::info("{} accepts runs with this token", server.url);
}

void push_runs(const ServerOptions& server, const fs::path& dir,
               const ApplicationOptions& application) {
  service::HttpClient client = client_of(server);
  if (kind_of(dir) == PathKind::kExperiment) merge_and_tell(dir, false);
  const std::vector<fs::path> files = profiles_in(dir);
  if (files.empty())
    throw InputError(dir.string(), "has no finished run to push", {}, ExitCode::kNotEnoughData);
  int fresh = 0;
  std::set<std::string> programs;
  Progress progress("pushing runs");
  for (std::size_t i = 0; i < files.size(); ++i) {
    const RunProfile run = read_run_profile(files[i]);
    programs.insert(run.program);
    fresh += service::push_profile(client, run,
                                   {application.name, application.machine, application.version})
                     .is_new
                 ? 1
                 : 0;
    progress.at(i + 1, files.size());
  }
  const int known = static_cast<int>(files.size()) - fresh;
  const bool renamed = !application.name.empty() && programs != std::set{application.name};
  logging::info("pushed {} of {}{} to {}{}", counted(fresh, "run"), listed(programs),
                renamed ? " as runs of " + application.name : "", server.url,
                known > 0 ? "; it had " + std::to_string(known) + " already" : "");
}

Model model_from_server(const ServerOptions& server, const ApplicationOptions& application) {
  service::HttpClient client = client_of(server);
  service::Wanted wanted;
  wanted.labels = {application.name, application.machine, application.version};
  return service::fetch_model(client, wanted, [] {
    logging::info("the server is fitting runs that came in; waiting for the model");
  });
}

}  // namespace apmt
