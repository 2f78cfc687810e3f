// Sentences on the processes and nodes for a deadline or a budget.
#pragma once

#include <string>
#include <vector>

#include "fitter/prediction/outlook.h"

namespace apmt {

std::vector<std::string> resource_sentences(const Resources& answer);

}  // namespace apmt
