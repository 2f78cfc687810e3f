#include "devices/calibrate/cuda_api.h"

namespace apmt::devices::cuda {

DriverCalls::DriverCalls(const DriverLibrary& library) {
  library.find("cuInit", &init);
  library.find("cuDriverGetVersion", &driver_version);
  library.find("cuDeviceGetCount", &device_count);
  library.find("cuDeviceGet", &device);
  library.find("cuDeviceGetName", &device_name);
  library.find("cuDeviceGetAttribute", &attribute);
  library.find("cuDeviceTotalMem_v2", &total_memory);
  library.find("cuDevicePrimaryCtxRetain", &retain_context);
  library.find("cuDevicePrimaryCtxRelease_v2", &release_context);
  library.find("cuCtxSetCurrent", &set_context);
  library.find("cuMemGetInfo_v2", &memory_info);
  library.find("cuMemAlloc_v2", &allocate);
  library.find("cuMemFree_v2", &release);
  library.find("cuMemcpyHtoD_v2", &copy_to);
  library.find("cuMemcpyDtoH_v2", &copy_from);
  library.find("cuModuleLoadData", &load);
  library.find("cuModuleUnload", &unload);
  library.find("cuModuleGetFunction", &function);
  library.find("cuLaunchKernel", &launch);
  library.find("cuCtxSynchronize", &synchronise);
  library.find("cuGetErrorString", &error_text);
}

CompilerCalls::CompilerCalls(const DriverLibrary& library) {
  library.find("nvrtcCreateProgram", &create);
  library.find("nvrtcCompileProgram", &compile);
  library.find("nvrtcGetPTXSize", &code_size);
  library.find("nvrtcGetPTX", &code);
  library.find("nvrtcGetProgramLogSize", &log_size);
  library.find("nvrtcGetProgramLog", &log);
  library.find("nvrtcDestroyProgram", &destroy);
}

}  // namespace apmt::devices::cuda
