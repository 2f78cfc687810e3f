// Open MPI passes environment variables to other nodes only if told to; other launchers pass all of
// them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "campaign/launching/executable.h"

namespace apmt {

/// Makes Open MPI pass these variables to other nodes: by options -x if the command has any, and
/// otherwise by a variable, which is added to the user's list in the environment. Open MPI refuses
/// to start if there are both. `target` is what the command starts.
void forward_to_nodes(std::map<std::string, std::string>* variables, const Target& target,
                      std::vector<std::string>* command);

}  // namespace apmt
