// What the closed loop did, for people and for programs.
#pragma once

#include "base/checked_json.h"
#include "refine/closed_loop.h"
#include "reports/report.h"

namespace apmt {

/// `at`: the process count that the model is wanted for.
Report make_loop_report(const LoopResult& result, int at, double target);
Json to_json(const LoopResult& result, int at);

}  // namespace apmt
