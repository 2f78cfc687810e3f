// Checks for every accelerator: its idioms must give the same results as the idioms that CPU
// threads compute, and the figures of its card must be consistent.
#pragma once

#include "devices/calibrate/accelerator.h"

namespace apmt::devices::testing {

void expect_results_of_threads(Accelerator& device);
void expect_measured_card(Accelerator& device);
/// Expects that a chase through the memory visits each line once before it returns to the first.
void expect_whole_cycle(Accelerator& device);

}  // namespace apmt::devices::testing
