// An accelerator that is this process: kernels.cl is compiled as C++, and the work-items are
// executed one after the other.
#pragma once

#include <memory>
#include <string>

#include "devices/calibrate/accelerator.h"

namespace apmt::devices::testing {

/// `kind` is the kind of device that facts() states. A device of the kind "cpu" is measured like
/// the processors of this machine.
std::unique_ptr<Accelerator> host_accelerator(const std::string& kind = "cpu");

}  // namespace apmt::devices::testing
