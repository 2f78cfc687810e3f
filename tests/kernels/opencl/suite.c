// Runs the kernels of suite.cl, whose path is the argument. Most kernels run once. copy runs twice;
// triad runs again from a program built with other options, and in a second context.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { kElements = 512, kVector = 256, kGroup = 32, kMatrix = 16 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_mem a, b, c, index_of;

static void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, error);
  exit(1);
}

static cl_program build(const char* path, const char* options) {
  static char source[1 << 16];
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

static void begin(void) {
  static float numbers[kElements];
  static int indices[kElements];
  for (int i = 0; i < kElements; ++i) {
    numbers[i] = 1 + i * 37 % 32 * 0.125f;
    indices[i] = (i * 5 + 3) % kVector;
  }
  const cl_mem buffers[] = {a, b, c};
  for (int i = 0; i < 3; ++i)
    check(
        clEnqueueWriteBuffer(queue, buffers[i], CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL),
        "write");
  check(clEnqueueWriteBuffer(queue, index_of, CL_TRUE, 0, sizeof indices, indices, 0, NULL, NULL),
        "write");
}

static void show(const char* name) {
  float numbers[kElements];
  check(clEnqueueReadBuffer(queue, c, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL), "read");
  double sum = 0;
  for (int i = 0; i < kElements; ++i) sum += numbers[i] * (i % 11 + 1);
  printf("%s %a\n", name, sum);
}

struct argument {
  size_t bytes;
  const void* value;
};

static void run(cl_program program, const char* name, int dimensions, size_t items, size_t group,
                const struct argument* arguments) {
  begin();
  cl_int error;
  cl_kernel kernel = clCreateKernel(program, name, &error);
  check(error, name);
  for (cl_uint i = 0; arguments[i].bytes > 0; ++i)
    check(clSetKernelArg(kernel, i, arguments[i].bytes, arguments[i].value), name);
  const size_t global[] = {items, items}, local[] = {group, group};
  check(clEnqueueNDRangeKernel(queue, kernel, (cl_uint)dimensions, NULL, global, local, 0, NULL,
                               NULL),
        name);
  check(clFinish(queue), name);
  show(name);
  clReleaseKernel(kernel);
}

static void open_context(void) {
  cl_int error;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &error);
  check(error, "clCreateCommandQueue");
  cl_mem* const buffers[] = {&a, &b, &c, &index_of};
  for (int i = 0; i < 4; ++i)
    *buffers[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, kElements * 4, NULL, &error);
  check(error, "clCreateBuffer");
}

static void close_context(void) {
  const cl_mem buffers[] = {a, b, c, index_of};
  for (int i = 0; i < 4; ++i) clReleaseMemObject(buffers[i]);
  clReleaseCommandQueue(queue);
  check(clReleaseContext(context), "clReleaseContext");
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  cl_platform_id platform;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  open_context();
  cl_program program = build(argv[1], "");

  const float s = 3;
  const int n = kVector, m = kMatrix, last = 15;
#define VALUE(v) {sizeof v, &v}
#define LOCAL(bytes) \
  { bytes, NULL }
#define ARGUMENTS(...)        \
  (const struct argument[]) { \
    __VA_ARGS__, { 0, NULL }  \
  }
#define ON_VECTOR(name, ...) run(program, name, 1, kVector, kGroup, ARGUMENTS(__VA_ARGS__))
#define ON_MATRIX(name, ...) run(program, name, 2, kMatrix, kMatrix / 2, ARGUMENTS(__VA_ARGS__))
#define BY(items, name, ...) run(program, name, 1, items, items, ARGUMENTS(__VA_ARGS__))
  ON_VECTOR("copy", VALUE(a), VALUE(c));
  ON_VECTOR("copy", VALUE(a), VALUE(c));
  ON_VECTOR("triad", VALUE(s), VALUE(a), VALUE(b), VALUE(c));
  ON_VECTOR("dot_product", VALUE(a), VALUE(b), VALUE(c), LOCAL(kGroup * 4));
  ON_MATRIX("stencil5", VALUE(m), VALUE(a), VALUE(c));
  ON_MATRIX("transpose", VALUE(m), VALUE(a), VALUE(c), LOCAL(kMatrix * kMatrix));
  ON_VECTOR("gather", VALUE(index_of), VALUE(a), VALUE(c));
  ON_VECTOR("scatter", VALUE(index_of), VALUE(a), VALUE(c));
  ON_VECTOR("histogram", VALUE(index_of), VALUE(c));
  ON_MATRIX("product", VALUE(m), VALUE(a), VALUE(b), VALUE(c));
  BY(kMatrix, "matrix_vector", VALUE(m), VALUE(a), VALUE(b), VALUE(c));
  BY(60, "sparse", VALUE(index_of), VALUE(a), VALUE(b), VALUE(c));
  BY(1, "prefix_sum", VALUE(n), VALUE(c));
  BY(kGroup, "bitonic", VALUE(c));
  BY(kMatrix - 1, "wavefront", VALUE(m), VALUE(c));
  BY(1, "chase", VALUE(n), VALUE(index_of), VALUE(c));
  run(program, "vectors", 1, kVector / 4, kGroup, ARGUMENTS(VALUE(a), VALUE(c)));
  ON_VECTOR("private_array", VALUE(last), VALUE(index_of), VALUE(c));
  ON_VECTOR("calls", VALUE(a), VALUE(c));
  BY(2, "says", VALUE(c));
  BY(1, "undescribed", VALUE(c));
  clReleaseProgram(program);

  program = build(argv[1], "-cl-opt-disable");
  ON_VECTOR("triad", VALUE(s), VALUE(a), VALUE(b), VALUE(c));
  clReleaseProgram(program);

  close_context();
  open_context();
  program = build(argv[1], "");
  ON_VECTOR("triad", VALUE(s), VALUE(a), VALUE(b), VALUE(c));
  clReleaseProgram(program);

  check(clEnqueueCopyBuffer(queue, a, b, 0, 0, 100, 0, NULL, NULL), "copy");
  void* mapped = clEnqueueMapBuffer(queue, c, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &error);
  check(error, "map");
  check(clEnqueueUnmapMemObject(queue, c, mapped, 0, NULL, NULL), "unmap");
  return clFinish(queue);
}
