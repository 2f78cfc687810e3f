// The reports of `apmt learn` and `apmt advise`.
#pragma once

#include "devices/learned/advice.h"
#include "devices/learned/comparison.h"
#include "devices/learned/data_checks.h"
#include "devices/learned/learned_model.h"
#include "devices/learned/validation.h"
#include "reports/report.h"

namespace apmt {

Report make_data_report(const learned::DataFindings& findings);

/// The scores of predictions, with a table for each split.
Report make_learned_validation_report(const std::string& title,
                                      const std::vector<learned::ScoreLine>& lines);

/// How the model was trained, and which questions it answers.
Report make_learned_model_report(const learned::LearnedModel& model);

/// The learned answer with the analytical one beside it.
Report make_advice_report(const learned::Advice& advice, const learned::Comparison& comparison);

}  // namespace apmt
