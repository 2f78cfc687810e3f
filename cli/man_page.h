// Writes manual pages (troff) of the command line, from the same declarations as the help.
#pragma once

#include <string>

#include "cli/command_description.h"

namespace apmt {

std::string man_page(const ProgramDescription& program);
std::string man_page(const ProgramDescription& program, const VerbDescription& verb);

}  // namespace apmt
