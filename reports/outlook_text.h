// Sentences on how far a program scales.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace apmt {

std::vector<std::string> outlook_sentences(const Outlook& outlook);

/// A sentence on the width of a prediction's interval, the parts or kernels that contribute most to
/// it, and the run that would narrow it (or a statement that there is none). Empty if the interval
/// is narrow (below 5 % of the time).
std::vector<std::string> interval_sentences(const Model& model, const Prediction& target,
                                            const Ahead& ahead);

/// The sentences as the last section of the output of `apmt predict`.
std::string render_outlook_text(const std::vector<std::string>& sentences, int width = 100);

}  // namespace apmt
