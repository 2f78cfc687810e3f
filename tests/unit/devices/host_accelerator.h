// An accelerator that is this process: kernels.cl compiled as C++, each work-item executed in turn.
#pragma once

#include <memory>

#include "devices/calibrate/accelerator.h"

namespace apmt::devices::testing {

std::unique_ptr<Accelerator> host_accelerator();

}  // namespace apmt::devices::testing
