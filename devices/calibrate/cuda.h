// An NVIDIA GPU, accessed through CUDA's driver and its run-time compiler.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "devices/calibrate/accelerator.h"

namespace apmt::devices {

/// Names of libraries. Of each kind, the first library that can be opened is used.
struct CudaLibraries {
  std::vector<std::string> driver = {"libcuda.so.1"};
  std::vector<std::string> compiler = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                       "libnvrtc.so.11.2"};
};

/// Opens device `index`, counted from 0 in the order of the driver. Throws InputError if there is
/// none.
std::unique_ptr<Accelerator> open_cuda(std::size_t index, const CudaLibraries& libraries = {});

}  // namespace apmt::devices
