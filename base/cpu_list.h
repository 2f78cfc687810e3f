// Lists of processors or memory nodes in Linux's notation.
#pragma once

#include <string>
#include <vector>

namespace apmt {

/// The numbers in "0-3,8", none above 65,536: the text may come from a damaged file.
std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace apmt
