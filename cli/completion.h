// Writes the scripts that complete the command line in a shell, from the same declarations as the
// help.
#pragma once

#include <string>

#include "cli/command_description.h"

namespace apmt {

std::string bash_completion(const ProgramDescription& program);
std::string zsh_completion(const ProgramDescription& program);
std::string fish_completion(const ProgramDescription& program);

}  // namespace apmt
