// Warnings of several experiments, each reason once.
#pragma once

#include <string>
#include <vector>

namespace apmt {

/// `warnings` has the warnings of each experiment. Those that differ only in numbers have the same
/// reason: the first stands for all, with the number of experiments that have it.
std::vector<std::string> each_reason_once(const std::vector<std::vector<std::string>>& warnings);

}  // namespace apmt
