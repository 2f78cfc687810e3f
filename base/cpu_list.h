// Parses lists of processors or memory nodes in Linux's notation.
#pragma once

#include <string>
#include <vector>

namespace apmt {

/// The numbers in a list such as "0-3,8". Numbers above 65,536 are left out, because the text may
/// come from a damaged file.
std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace apmt
