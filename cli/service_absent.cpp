// The functions of service_access.h in builds without the service: they throw.

#include "base/input_error.h"
#include "cli/service_access.h"

namespace apmt {
namespace {

[[noreturn]] void say_absent() {
  throw InputError("", "this build of apmt has no service",
                   "install libboost-dev, libsqlite3-dev and libssl-dev, and build apmt again with "
                   "-DAPMT_SERVICE=ON",
                   ExitCode::kFailed);
}

}  // namespace

void check_can_push() { say_absent(); }
void push_runs(const ServerOptions&, const std::filesystem::path&, const ApplicationOptions&) {
  say_absent();
}
Model model_from_server(const ServerOptions&, const ApplicationOptions&) { say_absent(); }
int serve_or_care(const ServeOptions&) { say_absent(); }

}  // namespace apmt
