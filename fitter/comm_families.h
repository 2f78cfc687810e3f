// How the time of an MPI operation may follow from how often it was called and how much it moved:
// the families of unit costs times counts that a law of communication chooses from.
#pragma once

#include <string>
#include <vector>

#include "fitter/model.h"

namespace apmt {

using CountedOps = std::vector<const CountModel*>;

/// Of "p2p" or "coll"; none for the other parts. Where the laws of the counts disagree about what
/// lies ahead (at `ahead` processes and the work there), a family for fewer and one for more.
std::vector<CountFamily> families_for(const std::string& part, const CountedOps& ops, double ahead,
                                      double work, double linear_exponent);

/// Whether the operation's name has this lower-case word in it.
bool operation_has(std::string op, const char* word);

}  // namespace apmt
