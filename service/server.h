// `apmt serve`: the store, the service and the HTTP server together.
#pragma once

#include <string>
#include <vector>

#include "service/configuration.h"
#include "service/log_line.h"

namespace apmt::service {

/// Serves until SIGTERM or SIGINT. `refit_command`: see Refitter.
void serve(const Configuration& configuration, const std::vector<std::string>& refit_command,
           const Log& log);

}  // namespace apmt::service
