// Warnings of several experiments, each reason once.
#pragma once

#include <string>
#include <vector>

namespace apmt {

/// `warnings` has the warnings of each experiment. Warnings that differ only in numbers have the
/// same reason: the first of them stands for all, with the number of the other experiments that
/// have it.
std::vector<std::string> each_reason_once(const std::vector<std::vector<std::string>>& warnings);

}  // namespace apmt
