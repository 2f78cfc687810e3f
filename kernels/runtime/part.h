// The file that a process writes for apmt analyze: an Analysis, in part-<rank>.json or, without a
// launcher, part-p<process>.json.
#pragma once

#include "kernels/analysis.h"
#include "kernels/runtime/settings.h"

namespace apmt::kernels {

/// Throws InputError if the file cannot be written.
void write_part(const Settings& settings, const Analysis& analysis);

}  // namespace apmt::kernels
