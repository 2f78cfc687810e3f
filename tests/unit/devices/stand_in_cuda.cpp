#include "tests/unit/devices/stand_in_cuda.h"

#include <algorithm>
#include <cstring>

using apmt::devices::testing::StandInLaunch;
using apmt::devices::testing::StandInRecord;

namespace {

constexpr int kInvalid = 1, kOutOfMemory = 2, kNotReady = 3, kNotFound = 500;
constexpr std::uint64_t kMemory = std::uint64_t{8} << 30;
constexpr const char* kMark = "// code of the stand-in\n";

StandInRecord record;
bool is_ready = false, has_context = false;

struct Kernel {
  std::string name;
  std::size_t pointers = 0, numbers = 0;
};
struct Module {
  std::string code;
  std::map<std::string, Kernel> kernels;
};
struct Source {
  std::string text;
  bool is_compiled = false;
};

int violation(const std::string& what) {
  record.violations.push_back(what);
  return kInvalid;
}

/// What every function of the driver does first. Returns an error, or 0.
int called(const char* name, bool needs_context = false) {
  ++record.calls[name];
  if (record.failing_call == name) return kOutOfMemory;
  if (!is_ready && std::strcmp(name, "cuInit") != 0) {
    violation(std::string(name) + " before cuInit");
    return kNotReady;
  }
  if (needs_context && !has_context) return violation(std::string(name) + " without a context");
  return 0;
}

bool is_allocated(std::uint64_t address, std::uint64_t bytes) {
  return std::any_of(record.memory.begin(), record.memory.end(), [&](const auto& block) {
    return address >= block.first && address + bytes <= block.first + block.second;
  });
}

/// Counts the parameters of the kernel that the text declares.
bool find_kernel(const std::string& text, const std::string& name, Kernel* kernel) {
  const std::size_t begin = text.find("KERNEL void " + name + "(");
  if (begin == std::string::npos) return false;
  const std::size_t open = text.find('(', begin), close = text.find(')', open);
  const std::string list = text.substr(open, close - open);
  kernel->name = name;
  kernel->pointers = static_cast<std::size_t>(std::count(list.begin(), list.end(), '*'));
  kernel->numbers =
      static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')) + 1 - kernel->pointers;
  return true;
}

}  // namespace

extern "C" {

StandInRecord* stand_in_record() { return &record; }

int cuInit(unsigned) {
  is_ready = true;
  return called("cuInit");
}
int cuDriverGetVersion(int* version) {
  *version = 12040;
  return called("cuDriverGetVersion");
}
int cuDeviceGetCount(int* count) {
  *count = 2;
  return called("cuDeviceGetCount");
}
int cuDeviceGet(int* device, int index) {
  *device = 70 + index;  // not the index, so that a test sees which of the two is used
  return called("cuDeviceGet");
}
int cuDeviceGetName(char* name, int size, int device) {
  std::strncpy(name, device == 71 ? "Second GPU" : "First GPU", static_cast<std::size_t>(size - 1));
  return called("cuDeviceGetName");
}
int cuDeviceGetAttribute(int* value, int attribute, int device) {
  if (const int error = called("cuDeviceGetAttribute")) return error;
  if (device < 70) return violation("cuDeviceGetAttribute of an index");
  const std::map<int, int> values = {{1, 1024}, {13, 1'500'000}, {16, 10},     {38, 1 << 20},
                                     {75, 9},   {76, 0},         {81, 100'000}};
  const auto found = values.find(attribute);
  if (found == values.end()) return kInvalid;
  *value = found->second;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = kMemory;
  return called("cuDeviceTotalMem");
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  ++record.contexts;
  *context = &record;
  return called("cuDevicePrimaryCtxRetain");
}
int cuDevicePrimaryCtxRelease_v2(int) {
  if (!record.memory.empty() || record.modules > 0)
    violation("the context was released before its memory and modules");
  has_context = false;
  --record.contexts;
  return called("cuDevicePrimaryCtxRelease");
}
int cuCtxSetCurrent(void* context) {
  has_context = context == &record;
  return called("cuCtxSetCurrent");
}
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  *total = kMemory;
  *free = kMemory / 2;
  return called("cuMemGetInfo", true);
}
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  if (const int error = called("cuMemAlloc", true)) return error;
  if (bytes == 0) return violation("cuMemAlloc of nothing");
  static std::uint64_t next = 0x7000'0000'0000;
  *address = next;
  record.memory[next] = bytes;
  next += bytes + 4096;
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  if (const int error = called("cuMemFree", true)) return error;
  return record.memory.erase(address) == 1 ? 0 : violation("cuMemFree of no memory");
}
int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) {
  if (const int error = called("cuMemcpyHtoD", true)) return error;
  record.copied_to += bytes;
  return from != nullptr && is_allocated(to, bytes) ? 0 : violation("a copy beyond the memory");
}
int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  if (const int error = called("cuMemcpyDtoH", true)) return error;
  record.copied_from += bytes;
  return to != nullptr && is_allocated(from, bytes) ? 0 : violation("a copy beyond the memory");
}
int cuModuleLoadData(void** module, const void* image) {
  if (const int error = called("cuModuleLoadData", true)) return error;
  const std::string code = static_cast<const char*>(image);
  if (code.rfind(kMark, 0) != 0) return violation("cuModuleLoadData of something else than code");
  *module = new Module{code, {}};
  ++record.modules;
  return 0;
}
int cuModuleUnload(void* module) {
  delete static_cast<Module*>(module);
  --record.modules;
  return called("cuModuleUnload", true);
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  if (const int error = called("cuModuleGetFunction", true)) return error;
  Module& in = *static_cast<Module*>(module);
  if (!find_kernel(in.code, name, &in.kernels[name])) return kNotFound;
  *function = &in.kernels[name];
  return 0;
}
int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   void* stream, void** arguments, void** extra) {
  if (const int error = called("cuLaunchKernel", true)) return error;
  const Kernel& kernel = *static_cast<Kernel*>(function);
  ++record.calls[kernel.name];
  if (grid_x < 1 || grid_y < 1 || grid_y > 65535 || grid_z != 1)
    return violation(kernel.name + ": grid of " + std::to_string(grid_x) + " x " +
                     std::to_string(grid_y));
  if (block_x < 1 || block_x > 1024 || block_y != 1 || block_z != 1)
    return violation(kernel.name + ": block of " + std::to_string(block_x));
  if (shared_bytes != 0 || stream != nullptr || extra != nullptr || arguments == nullptr)
    return violation(kernel.name + ": unexpected arguments of the launch");
  record.last_launch = {kernel.name, grid_x, grid_y, block_x, {}, {}};
  for (std::size_t i = 0; i < kernel.pointers + kernel.numbers; ++i) {
    std::uint64_t value = 0;
    std::memcpy(&value, arguments[i], sizeof value);
    (i < kernel.pointers ? record.last_launch.addresses : record.last_launch.numbers)
        .push_back(value);
    if (i < kernel.pointers && !is_allocated(value, 1))
      return violation(kernel.name + ": an address that is not allocated");
  }
  StandInLaunch& widest = record.widest[kernel.name];
  if (grid_x >= widest.grid_x) widest = record.last_launch;
  return 0;
}
int cuCtxSynchronize() { return called("cuCtxSynchronize", true); }
int cuGetErrorString(int code, const char** text) {
  *text = code == kOutOfMemory ? "out of memory"
          : code == kNotFound  ? "named symbol not found"
                               : "invalid argument";
  return 0;
}

int nvrtcCreateProgram(void** source, const char* text, const char*, int headers,
                       const char* const*, const char* const*) {
  ++record.calls["nvrtcCreateProgram"];
  if (headers != 0) return violation("headers that are not given");
  *source = new Source{text, false};
  record.source = text;
  ++record.sources;
  return 0;
}
int nvrtcCompileProgram(void* source, int count, const char* const* options) {
  ++record.calls["nvrtcCompileProgram"];
  record.options.clear();
  for (int i = 0; i < count; ++i) record.options += options[i];
  if (record.failing_call == "nvrtcCompileProgram") return 6;
  static_cast<Source*>(source)->is_compiled = true;
  return 0;
}
int nvrtcGetPTXSize(void* source, std::size_t* bytes) {
  if (!static_cast<Source*>(source)->is_compiled) return violation("code of a failed compilation");
  *bytes = std::strlen(kMark) + static_cast<Source*>(source)->text.size() + 1;
  return 0;
}
int nvrtcGetPTX(void* source, char* code) {
  std::strcpy(code, (kMark + static_cast<Source*>(source)->text).c_str());
  return 0;
}
int nvrtcGetProgramLogSize(void*, std::size_t* bytes) {
  *bytes = 64;
  return 0;
}
int nvrtcGetProgramLog(void*, char* log) {
  std::strcpy(log, "apmt.cu(3): error: no such type\n1 error detected\n");
  return 0;
}
int nvrtcDestroyProgram(void** source) {
  delete static_cast<Source*>(*source);
  *source = nullptr;
  --record.sources;
  return 0;
}
}
