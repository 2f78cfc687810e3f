// launches SOURCE NAME N REPEATS: like kernels.c, but the loop is a kernel of SOURCE (kernels.cl) on the first OpenCL
// device. A time includes the launch.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "data.h"

static cl_command_queue queue;
static cl_kernel kernel;
static cl_uint dimensions;
static size_t columns, rows; // that a work-item computes
static size_t border;        // rows and columns of the matrix that no work-item computes
static size_t units;         // compute units of the device
static size_t most_items;    // of a work-group

static void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, error);
  exit(1);
}

static cl_program build(cl_context context, cl_device_id device, const char* path) {
  static char source[1 << 16];
  FILE* file = fopen(path, "r");
  if (!file) check(-1, path);
  source[fread(source, 1, sizeof source - 1, file)] = 0;
  fclose(file);
  const char* text = source;
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  return program;
}

static size_t largest_divisor(size_t of, size_t most) {
  size_t divisor = most < of ? most : of;
  while (of % divisor) --divisor;
  return divisor;
}

/// Makes large work-groups, if possible at least one for each compute unit. Left alone, PoCL may
/// make a single group of all items.
static void launch(long n) {
  const size_t items[2] = {((size_t)n - border) / columns, ((size_t)n - border) / rows};
  const size_t last = dimensions - 1, each = items[last] % units ? items[last] : items[last] / units;
  size_t group[2] = {1, 1};
  if (dimensions == 2) group[0] = largest_divisor(items[0], most_items);
  group[last] = largest_divisor(each, most_items / group[0]);
  check(clEnqueueNDRangeKernel(queue, kernel, dimensions, NULL, items, group, 0, NULL, NULL), "launch");
  check(clFinish(queue), "clFinish");
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const char* name = argv[2];
  const long n = atol(argv[3]);
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  cl_uint compute_units;
  check(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof compute_units, &compute_units, NULL), "units");
  check(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof most_items, &most_items, NULL), "items");
  units = compute_units;
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  kernel = clCreateKernel(build(context, device, argv[1]), name, &error);
  check(error, name);
  dimensions = !strcmp(name, "jacobi") || !strcmp(name, "product") ? 2 : 1;
  columns = !strcmp(name, "jacobi") || !strcmp(name, "product") || !strcmp(name, "forces") ? 8 : 1;
  rows = !strcmp(name, "product") ? 4 : 1;
  border = !strcmp(name, "jacobi") ? 2 : 0;

  const size_t elements = elements_of(name, n);
  make_data(elements);
  void* arrays[] = {a, b, c, place};
  for (cl_uint i = 0; i < 4; ++i) {
    const size_t bytes = elements * (i == 3 ? sizeof *place : sizeof *a);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, arrays[i], &error);
    check(error, "clCreateBuffer");
    check(clSetKernelArg(kernel, i, sizeof buffer, &buffer), "clSetKernelArg");
  }
  const cl_int size = (cl_int)n;
  check(clSetKernelArg(kernel, 4, sizeof size, &size), "clSetKernelArg");
  print_time(launch, n, (size_t)atol(argv[4]));
  return 0;
}
