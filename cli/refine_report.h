// The report of apmt refine --target-error, as a Report and as JSON.
#pragma once

#include "base/checked_json.h"
#include "refine/closed_loop.h"
#include "reports/report.h"

namespace apmt {

/// `at`: the process count to predict.
Report make_loop_report(const LoopResult& result, int at, double target);
Json to_json(const LoopResult& result, int at);

}  // namespace apmt
