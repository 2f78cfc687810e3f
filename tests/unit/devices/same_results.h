// What holds for every accelerator: its idioms compute what the threads' idioms compute, and its
// card holds together.
#pragma once

#include "devices/calibrate/accelerator.h"

namespace apmt::devices::testing {

void expect_results_of_threads(Accelerator& device);
void expect_measured_card(Accelerator& device);
/// A chase visits each line of the memory once before it returns to the first.
void expect_whole_cycle(Accelerator& device);

}  // namespace apmt::devices::testing
