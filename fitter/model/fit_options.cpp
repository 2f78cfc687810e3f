#include "fitter/model/fit_options.h"

namespace apmt {

bool FitOptions::is_valid(std::string* error) const {
  if (!(threshold > 0 && threshold <= 1)) {
    *error = "the threshold must lie above 0 and not above 1 (a share of compute time)";
    return false;
  }
  if (method != kOwnMethod && method != kPaperMethod) {
    *error = "the method is 'apmt' or 'paper', not '" + method + "'";
    return false;
  }
  return true;
}

}  // namespace apmt
