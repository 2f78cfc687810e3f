// Lists of numbers in Linux's notation: numbers of processors, or of memory nodes.
#pragma once

#include <string>
#include <vector>

namespace apmt {

/// The numbers in "0-3,8", none above 65,536: the text may come from a damaged file.
std::vector<int> parse_cpu_list(const std::string& text);

}  // namespace apmt
