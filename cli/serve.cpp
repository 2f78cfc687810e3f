// apmt serve: keeps the models of a team current, and answers questions over HTTP.

#include "cli/other_verbs.h"
#include "cli/service_access.h"
#include "cli/verbs.h"

namespace apmt {
namespace {

constexpr const char* kServeFooter =
    "Without an action, serves until SIGTERM. Actions:\n"
    "  token add NAME      make a token with --role, --days and --only, and print it\n"
    "  token list          list the tokens, without their secrets\n"
    "  token revoke ID     make a token invalid\n"
    "  backup FILE         copy the store into a new file, also while a server uses it\n"
    "  restore FILE        replace the store by a backup; the server must not run\n"
    "  check               check the database, and every run against its hash\n"
    "  export DIR          write the runs as folders that the other verbs read\n"
    "  prune               delete what the settings keep_models and keep_audit_days no longer "
    "keep\n"
    "  refit ID            fit the runs of an application now, as the server does by itself\n"
    "\n"
    "Examples:\n"
    "  apmt serve token add ci --role pusher\n"
    "  apmt serve --listen 127.0.0.1:8440 --store sqlite:/var/lib/apmt/apmt.db\n"
    "  apmt serve --config service.yaml\n"
    "\n"
    "docs/service.md explains tokens, limits, and how to put a proxy with TLS in front.";

}  // namespace

void add_serve(CommandLine& program) {
  Verb verb = program.add_verb(kServe.name, kServe.help);
  verb.footer(kServeFooter);
  auto options = std::make_shared<ServeOptions>();
  verb.add_option("action", options->action, "What to do instead of serving; see below");
  verb.add_option("--config", options->configuration, "Settings, a YAML file");
  verb.add_option("--listen", options->listen, "Address and port [127.0.0.1:8440]");
  verb.add_option("--store", options->store, "Where all is kept [sqlite:apmt-serve.db]");
  verb.add_flag("--anonymous-reading", options->anonymous_reading,
                "Reading needs no token: for a loopback address, or behind a proxy that asks");
  verb.add_option("--log", options->log, "Form of the log on stderr [text]")
      .check(one_of({"text", "json"}));
  verb.add_option("--role", options->role,
                  "What a new token may do: reader reads, pusher also adds runs, keeper also takes "
                  "runs out and reads the audit log")
      .check(one_of({"reader", "pusher", "keeper"}))
      .shows_default();
  verb.add_option("--days", options->days, "A new token expires after so many days [never]")
      .check(whole_number(0, 36500));
  verb.add_option("--only", options->only,
                  "A new token is only for applications of these names [all]")
      .comma_separated();
  verb.action([options] { return serve_or_care(*options); });
}

}  // namespace apmt
