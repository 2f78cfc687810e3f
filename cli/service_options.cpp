// What all verbs that use the service share: the option with the token, and the error of builds
// without the service.

#include "base/input_error.h"
#include "cli/service_access.h"

namespace apmt {

void say_no_service() {
  throw InputError("", "this build of apmt has no service",
                   "install libboost-dev, libsqlite3-dev and libssl-dev, and build apmt again with "
                   "-DAPMT_SERVICE=ON",
                   ExitCode::kFailed);
}

void add_token_option(Verb verb, ServerOptions* options) {
  verb.add_option("--token-file", options->token_file,
                  "File with the token for the server [the variable APMT_TOKEN]");
}

}  // namespace apmt
