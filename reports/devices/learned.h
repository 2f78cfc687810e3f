// The reports of `apmt learn` and `apmt advise`.
#pragma once

#include "devices/learned/advice.h"
#include "devices/learned/comparison.h"
#include "devices/learned/data_checks.h"
#include "devices/learned/learned_model.h"
#include "devices/learned/validation.h"
#include "reports/report.h"

namespace apmt {

/// The contents of a training set, and which of its data cannot be used.
Report make_data_report(const learned::DataFindings& findings);

/// How well the learners answer their questions (such as which device is fastest) for kernels with
/// which they were not trained. The report has a section for each way of splitting the data into
/// training and test data.
Report make_learned_validation_report(const std::string& title,
                                      const std::vector<learned::ScoreLine>& lines);

/// Which questions a trained model answers, and how well.
Report make_learned_model_report(const learned::LearnedModel& model);

/// The learned answer about a kernel, and the analytical one (`apmt match`) for comparison.
Report make_advice_report(const learned::Advice& advice, const learned::Comparison& comparison);

}  // namespace apmt
