// An accelerator that is this process: kernels.cl is compiled as C++, and the work-items are
// executed one after the other.
#pragma once

#include <memory>

#include "devices/calibrate/accelerator.h"

namespace apmt::devices::testing {

std::unique_ptr<Accelerator> host_accelerator();

}  // namespace apmt::devices::testing
