// How the time of an MPI operation may depend on its calls and bytes: the families of unit costs
// times counts that a law of communication chooses from.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

using CountedOps = std::vector<const CountModel*>;

/// For "p2p" or "coll"; none for the other parts. Where the laws of the counts differ at `ahead`
/// processes and the work there, one family for fewer and one for more.
std::vector<CountFamily> families_for(const std::string& part, const CountedOps& ops, double ahead,
                                      double work, double linear_exponent);

/// Whether the operation's name contains this lower-case word.
bool operation_has(std::string op, const char* word);

}  // namespace apmt
