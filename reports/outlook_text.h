// How far a program scales, in sentences.
#pragma once

#include <string>
#include <vector>

#include "fitter/outlook.h"

namespace apmt {

std::vector<std::string> outlook_sentences(const Outlook& outlook);

/// The section that `apmt predict` ends with.
std::string render_outlook_text(const Outlook& outlook, int width = 100);

}  // namespace apmt
