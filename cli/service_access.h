// Functions with which verbs run the service's server or send requests to it. The program apmt-full
// implements them (service_client.cpp, service_server.cpp); if it is built without the service,
// they throw InputError (service_absent.cpp). In the program apmt, they run apmt-full instead
// (elsewhere.cpp).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "fitter/prediction/prediction.h"

namespace apmt {

struct ServerOptions {
  std::string url;
  std::filesystem::path token_file;  // empty: the token is in the variable APMT_TOKEN
};

/// The application to which a pushed run belongs, or whose model is wanted. An empty member stands
/// for the value in the profile (for a run) or for any value (for a model).
struct ApplicationOptions {
  std::string name;
  std::string machine;
  std::string version;
};

/// Throws the InputError of a build without the service.
[[noreturn]] void say_no_service();

void add_token_option(Verb verb, ServerOptions* options);

/// Throws InputError if this installation cannot push, or if the server takes no runs with this
/// token. So `apmt run --push` fails before its runs and not after them.
void check_can_push(const ServerOptions& server);

/// Pushes every run in a folder of runs, or a single run, and prints how many were new.
void push_runs(const ServerOptions& server, const std::filesystem::path& dir,
               const ApplicationOptions& application);

/// Fetches a model. Waits up to a minute while the server fits runs that have just arrived.
Model model_from_server(const ServerOptions& server, const ApplicationOptions& application);

struct ServeOptions {
  std::vector<std::string> action;  // empty: serve
  std::filesystem::path configuration;
  std::string listen;  // this and all other texts: empty if not given
  std::string store;
  std::string log;
  bool anonymous_reading = false;
  std::string role = "reader";
  std::optional<int> days;
  std::vector<std::string> only;  // names of applications; empty: all
};

int serve_or_care(const ServeOptions& options);

}  // namespace apmt
