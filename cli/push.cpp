// apmt push: sends runs to a server of apmt serve.

#include "cli/experiment_path.h"
#include "cli/other_verbs.h"
#include "cli/service_access.h"
#include "cli/verbs.h"

namespace apmt {
namespace {

constexpr const char* kPushFooter =
    "A run is known by the SHA-256 of its profile. The server gets only runs that it does not "
    "have\n"
    "yet, so an interrupted push can be repeated. A run counts as pushed once it is on the "
    "server's\n"
    "disk. Runs of one name, machine and version are fitted together. The token (apmt serve token\n"
    "add) is read from the variable APMT_TOKEN, or from --token-file.\n"
    "\n"
    "Examples:\n"
    "  apmt push --to http://127.0.0.1:8440\n"
    "  apmt push apmt-halo2d --to https://apmt.example.org --machine archer2 --app-version v2.1";

struct PushArguments {
  std::filesystem::path path;
  ServerOptions server;
  ApplicationOptions application;
  bool check = false;
};

}  // namespace

void add_push(CommandLine& program) {
  Verb verb = program.add_verb(kPush.name, kPush.help);
  verb.footer(kPushFooter);
  auto options = std::make_shared<PushArguments>();
  verb.add_option("path", options->path,
                  "Run or experiment directory [the newest experiment here]");
  verb.add_option("--to", options->server.url, "URL of the server").from_environment("APMT_SERVER");
  verb.add_option("--name", options->application.name,
                  "Name of the application [the program's name]");
  verb.add_option("--machine", options->application.machine,
                  "Name of the machine [its processors]");
  verb.add_option("--app-version", options->application.version,
                  "Version of the program [APMT_VERSION at recording, or the build id]");
  add_token_option(verb, &options->server);
  verb.add_flag("--check", options->check,
                "Send nothing; only ask whether the server accepts runs with this token");
  verb.action([options] {
    if (options->check)
      check_can_push(options->server);
    else
      push_runs(options->server, experiment_dir(options->path), options->application);
    return 0;
  });
}

}  // namespace apmt
