// The functions of service_access.h in builds without the service: they throw.

#include "cli/service_access.h"

namespace apmt {

void check_can_push(const ServerOptions&) { say_no_service(); }
void push_runs(const ServerOptions&, const std::filesystem::path&, const ApplicationOptions&) {
  say_no_service();
}
Model model_from_server(const ServerOptions&, const ApplicationOptions&) { say_no_service(); }
int serve_or_care(const ServeOptions&) { say_no_service(); }

}  // namespace apmt
