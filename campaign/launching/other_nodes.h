// Open MPI passes environment variables to other nodes only if told to; other launchers pass all of
// them.
#pragma once

#include <map>
#include <string>

namespace apmt {

/// Adds the setting that makes Open MPI pass these variables to other nodes, in addition to those
/// that the user's environment names.
void forward_to_nodes(std::map<std::string, std::string>* variables);

}  // namespace apmt
