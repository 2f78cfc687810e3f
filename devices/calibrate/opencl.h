// An OpenCL device, accessed through the library that finds the installed drivers (the ICD loader).
#pragma once

#include <memory>
#include <string>

#include "devices/calibrate/accelerator.h"

namespace apmt::devices {

/// Opens device `index` of all devices of all platforms, counted from 0 in the order in which
/// OpenCL lists them. Throws InputError if there is none.
std::unique_ptr<Accelerator> open_opencl(std::size_t index,
                                         const std::string& library = "libOpenCL.so.1");

}  // namespace apmt::devices
