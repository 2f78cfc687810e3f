// How far a program scales, in sentences.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace apmt {

std::vector<std::string> outlook_sentences(const Outlook& outlook);

/// The width of a prediction's interval, the part or kernel that causes it, and the run that would
/// narrow it. Empty for an interval as narrow as the scatter of measurements.
std::vector<std::string> interval_sentences(const Model& model, const Prediction& target,
                                            const std::optional<NarrowingRun>& run);

/// The last section of `apmt predict`.
std::string render_outlook_text(const std::vector<std::string>& sentences, int width = 100);

}  // namespace apmt
