// The back-test as JSON, the same in a model and in a prediction.
#pragma once

#include "fitter/model.h"

namespace apmt {

Json to_json(const Backtest& test);
Backtest backtest_from(const JsonAt& json);

}  // namespace apmt
