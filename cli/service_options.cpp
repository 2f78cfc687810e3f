// The option that is common to all verbs that send requests to a server.

#include "cli/service_access.h"

namespace apmt {

void add_token_option(Verb verb, ServerOptions* options) {
  verb.add_option("--token-file", options->token_file,
                  "File with the token for the server [the variable APMT_TOKEN]");
}

}  // namespace apmt
