#include "devices/calibrate/opencl_api.h"

namespace apmt::devices::opencl {

Calls::Calls(const DriverLibrary& library) {
  library.find("clGetPlatformIDs", &get_platforms);
  library.find("clGetDeviceIDs", &get_devices);
  library.find("clGetDeviceInfo", &get_device);
  library.find("clCreateContext", &create_context);
  library.find("clReleaseContext", &release_context);
  library.find("clCreateCommandQueue", &create_queue);
  library.find("clReleaseCommandQueue", &release_queue);
  library.find("clCreateProgramWithSource", &create_program);
  library.find("clBuildProgram", &build);
  library.find("clGetProgramBuildInfo", &get_build);
  library.find("clReleaseProgram", &release_program);
  library.find("clCreateKernel", &create_kernel);
  library.find("clSetKernelArg", &set_argument);
  library.find("clReleaseKernel", &release_kernel);
  library.find("clCreateBuffer", &create_buffer);
  library.find("clReleaseMemObject", &release_memory);
  library.find("clEnqueueWriteBuffer", &write);
  library.find("clEnqueueReadBuffer", &read);
  library.find("clEnqueueNDRangeKernel", &launch);
  library.find("clFinish", &finish);
}

}  // namespace apmt::devices::opencl
