// How the time of an MPI operation may depend on its calls and bytes: the families of unit costs
// times counts that a law of communication chooses from.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

using CountedOps = std::vector<const CountModel*>;

/// The families for the part "p2p" or "coll"; other parts have none. Several laws may agree with
/// the counts but differ at `ahead` processes and `work`. Then each family has two more variants,
/// with the smallest and with the largest counts there. D^linear_exponent is the linear size of the
/// problem.
std::vector<CountFamily> families_for(const std::string& part, const CountedOps& ops, double ahead,
                                      double work, double linear_exponent);

/// Whether the operation's name contains this lower-case word.
bool operation_has(std::string op, const char* word);

}  // namespace apmt
