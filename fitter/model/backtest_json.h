// Converts a back-test to JSON and back; models and predictions contain it in the same form.
#pragma once

#include "fitter/model/model.h"

namespace apmt {

Json to_json(const Backtest& test);
Backtest backtest_from(const JsonAt& json);

}  // namespace apmt
