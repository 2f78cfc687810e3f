// host SOURCE OPTIONS: runs kernels of an OpenCL source. Each line of standard input describes one
// launch: the kernel's name, the number of dimensions, the number of work-items in each dimension,
// the size of a work-group in each dimension, and the arguments. An argument is b0 ... b7 (a buffer
// of 4 MiB of floats, or of ELEMENTS floats), i5 (an integer), f0.5 (a float) or l64 (64 bytes of
// local memory).
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ELEMENTS
#define ELEMENTS (1 << 20)
#endif
enum { kElements = ELEMENTS, kBuffers = 8 };

static void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, error);
  exit(1);
}

static cl_program build(cl_context context, cl_device_id device, const char* path,
                        const char* options) {
  static char source[1 << 20];
  FILE* file = fopen(path, "r");
  if (!file) check(-1, path);
  source[fread(source, 1, sizeof source - 1, file)] = 0;
  fclose(file);
  const char* text = source;
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, options, NULL, NULL), "clBuildProgram");
  return program;
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  cl_program program = build(context, device, argv[1], argv[2]);
  static float numbers[kElements];
  for (int i = 0; i < kElements; ++i) numbers[i] = 1 + i % 97 * 0.01f;
  cl_mem buffers[kBuffers];
  for (int i = 0; i < kBuffers; ++i) {
    buffers[i] = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof numbers, numbers, &error);
    check(error, "clCreateBuffer");
  }

  char line[1000];
  while (fgets(line, sizeof line, stdin)) {
    const char* name = strtok(line, " \n");
    if (!name) continue;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    check(error, name);
    const cl_uint dimensions = (cl_uint)atoi(strtok(NULL, " \n"));
    size_t items[3], group[3];
    for (cl_uint i = 0; i < dimensions; ++i) items[i] = (size_t)atol(strtok(NULL, " \n"));
    for (cl_uint i = 0; i < dimensions; ++i) group[i] = (size_t)atol(strtok(NULL, " \n"));
    cl_uint index = 0;
    for (const char* word; (word = strtok(NULL, " \n")); ++index) {
      const int integer = atoi(word + 1);
      const float real = (float)atof(word + 1);
      if (*word == 'b')
        error = clSetKernelArg(kernel, index, sizeof(cl_mem), &buffers[integer % kBuffers]);
      if (*word == 'i') error = clSetKernelArg(kernel, index, sizeof integer, &integer);
      if (*word == 'f') error = clSetKernelArg(kernel, index, sizeof real, &real);
      if (*word == 'l') error = clSetKernelArg(kernel, index, (size_t)integer, NULL);
      check(error, name);
    }
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, items, group, 0, NULL, NULL),
          name);
    check(clFinish(queue), name);
    clReleaseKernel(kernel);
  }
  return 0;
}
