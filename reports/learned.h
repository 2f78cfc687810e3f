// What `apmt learn` and `apmt advise` say.
#pragma once

#include "devices/learned/advice.h"
#include "devices/learned/data_checks.h"
#include "devices/learned/learned_model.h"
#include "devices/learned/validation.h"
#include "reports/report.h"

namespace apmt {

Report make_data_report(const learned::DataFindings& findings);

/// How good answers are, a table for each way to leave kernels out.
Report make_learned_validation_report(const std::string& title,
                                      const std::vector<learned::ScoreLine>& lines);

/// What was trained, and for which questions it has an answer.
Report make_learned_model_report(const learned::LearnedModel& model);

Report make_advice_report(const learned::Advice& advice);

}  // namespace apmt
