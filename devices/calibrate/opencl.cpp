#include "devices/calibrate/opencl.h"

#include <algorithm>
#include <map>

#include "base/input_error.h"
#include "devices/calibrate/opencl_api.h"
#include "devices/calibrate/system_memory.h"
#include "machine/topology.h"

namespace apmt::devices {
namespace {

using namespace opencl;

constexpr const char* kHint =
    "install the OpenCL driver of the device and an ICD loader; on Debian, ocl-icd-libopencl1 and, "
    "for the processors, pocl-opencl-icd";

constexpr const char* kWords = R"(
#define KERNEL __kernel
#define DEVICE
#define GLOBAL __global
#define LOCAL __local
#define TO_LOCAL __local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define ITEM ((WORD)get_global_id(0))
#define ITEM_Y ((WORD)get_global_id(1))
#define ITEMS_Y ((WORD)get_global_size(1))
#define GROUP ((WORD)get_group_id(0))
#define GROUPS ((WORD)get_num_groups(0))
#define LOCAL_ITEM ((WORD)get_local_id(0))
#define GROUP_ITEMS ((WORD)get_local_size(0))
typedef ulong WORD;
)";

std::string words_of(const ElementType& type) {
  const std::string real = type.is_double ? "double" : "float";
  const std::string lanes = std::to_string(type.lanes);
  std::string words = type.is_double ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n" : "";
  words += kWords;
  words += "typedef " + real + " REAL;\ntypedef " + (type.is_double ? "ulong" : "uint") +
           " INDEX;\n#define LANES " + lanes + "\n#define MOST_ITEMS " +
           std::to_string(apmt::devices::kMostItems) + "\n";
  if (type.lanes == 1)
    return words + "typedef REAL VECTOR;\n#define LOAD(p) (*(p))\n#define STORE(v, p) *(p) = (v)\n";
  return words + "typedef " + real + lanes + " VECTOR;\n#define LOAD(p) vload" + lanes +
         "(0, p)\n#define STORE(v, p) vstore" + lanes + "(v, 0, p)\n";
}

void check(Code code, const std::string& call) {
  if (code == kSuccess) return;
  throw InputError("OpenCL", call + " failed with error " + std::to_string(code),
                   "--largest-bytes asks for less memory", ExitCode::kFailed);
}

class OpenClDevice : public Accelerator {
 public:
  OpenClDevice(std::size_t index, const std::string& library)
      : library_({library}, kHint), call_(library_), device_(choose(index)) {
    ask();
    Code code = kSuccess;
    context_ = call_.create_context(nullptr, 1, &device_, nullptr, nullptr, &code);
    check(code, "clCreateContext");
    queue_ = call_.create_queue(context_, device_, 0, &code);
    if (code != kSuccess) call_.release_context(context_);
    check(code, "clCreateCommandQueue");
  }

  ~OpenClDevice() override {
    call_.finish(queue_);
    for (const Compiled& program : programs_) {
      for (const auto& [name, kernel] : program.kernels) call_.release_kernel(kernel);
      call_.release_program(program.program);
    }
    for (const Memory memory : buffers_)
      if (memory != nullptr) call_.release_memory(memory);
    call_.release_queue(queue_);
    call_.release_context(context_);
  }

  const AcceleratorFacts& facts() const override { return facts_; }

  Program compile(const ElementType& type) override {
    const std::string text = words_of(type) + kAcceleratorKernels;
    const char* source = text.c_str();
    Code code = kSuccess;
    const ProgramOf program = call_.create_program(context_, 1, &source, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    programs_.push_back({program, {}});
    code = call_.build(program, 1, &device_, "-cl-mad-enable", nullptr, nullptr);
    if (code != kSuccess) {
      std::string log(4096, '\0');
      call_.get_build(program, device_, kBuildLog, log.size() - 1, log.data(), nullptr);
      throw InputError("OpenCL", "the kernels cannot be compiled: error " + std::to_string(code),
                       log.substr(0, std::min(log.find('\n'), log.find('\0'))), ExitCode::kFailed);
    }
    return programs_.size() - 1;
  }

  Buffer allocate(std::uint64_t bytes) override {
    Code code = kSuccess;
    const Memory memory = call_.create_buffer(context_, kReadWrite, bytes, nullptr, &code);
    check(code, "clCreateBuffer of " + std::to_string(bytes) + " bytes");
    buffers_.push_back(memory);
    return buffers_.size() - 1;
  }

  void release(Buffer buffer) override {
    call_.release_memory(buffers_.at(buffer));
    buffers_.at(buffer) = nullptr;
  }

  void write(Buffer to, const void* from, std::uint64_t bytes) override {
    check(call_.write(queue_, buffers_.at(to), kTrue, 0, bytes, from, 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
  }

  void read(Buffer from, void* to, std::uint64_t bytes) override {
    check(call_.read(queue_, buffers_.at(from), kTrue, 0, bytes, to, 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
  }

  void launch(Program program, const Launch& what, std::uint64_t times) override {
    const Kernel kernel = kernel_of(program, what.kernel);
    Word argument = 0;
    for (const Buffer buffer : what.buffers)
      check(call_.set_argument(kernel, argument++, sizeof(Memory), &buffers_.at(buffer)),
            "clSetKernelArg");
    for (const std::uint64_t number : what.numbers)
      check(call_.set_argument(kernel, argument++, sizeof number, &number), "clSetKernelArg");
    const std::size_t items[] = {what.items, what.items_y}, group[] = {what.group_items, 1};
    for (std::uint64_t i = 0; i < times; ++i)
      check(call_.launch(queue_, kernel, 2, nullptr, items, group, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel of " + what.kernel);
  }

  void finish() override { check(call_.finish(queue_), "clFinish"); }

 private:
  struct Compiled {
    ProgramOf program;
    std::map<std::string, Kernel> kernels;
  };

  std::vector<DeviceId> all_devices() const {
    Word count = 0;
    const Code code = call_.get_platforms(0, nullptr, &count);
    if (code == kNoPlatform || count == 0) return {};
    check(code, "clGetPlatformIDs");
    std::vector<Platform> platforms(count);
    check(call_.get_platforms(count, platforms.data(), nullptr), "clGetPlatformIDs");
    std::vector<DeviceId> all;
    for (const Platform platform : platforms) {
      count = 0;
      if (call_.get_devices(platform, kTypeAll, 0, nullptr, &count) != kSuccess || count == 0)
        continue;
      std::vector<DeviceId> here(count);
      check(call_.get_devices(platform, kTypeAll, count, here.data(), nullptr), "clGetDeviceIDs");
      all.insert(all.end(), here.begin(), here.end());
    }
    return all;
  }

  DeviceId choose(std::size_t index) const {
    const std::vector<DeviceId> all = all_devices();
    if (all.empty()) throw InputError("", "there is no OpenCL device", kHint, ExitCode::kFailed);
    if (index >= all.size()) {
      std::string names;
      for (std::size_t i = 0; i < all.size(); ++i)
        names += (i == 0 ? "" : ", ") + std::to_string(i) + ": " + text(all[i], kDeviceName);
      throw InputError("", "there is no OpenCL device " + std::to_string(index),
                       "devices here: " + names);
    }
    return all[index];
  }

  std::string text(DeviceId device, Word what) const {
    char found[512] = "";
    call_.get_device(device, what, sizeof found - 1, found, nullptr);
    return found;
  }

  /// A figure that the driver returns as a `Number`; 0 if the driver does not return the figure.
  template <class Number>
  std::uint64_t number(Word what) const {
    Number found{};
    return call_.get_device(device_, what, sizeof found, &found, nullptr) == kSuccess
               ? static_cast<std::uint64_t>(found)
               : 0;
  }

  void ask() {
    const std::uint64_t type = number<Flags>(kDeviceType);
    facts_.name = text(device_, kDeviceName);
    facts_.driver = "OpenCL driver " + text(device_, kDriverVersion);
    facts_.kind = (type & kTypeGpu) != 0 ? "gpu" : (type & kTypeCpu) != 0 ? "cpu" : "accelerator";
    facts_.has_double = number<Flags>(kDoubleConfig) != 0;
    facts_.units = std::max<std::uint64_t>(1, number<Word>(kComputeUnits));
    facts_.most_items = std::max<std::uint64_t>(1, number<std::size_t>(opencl::kMostItems));
    facts_.frequency_hz = number<Word>(kFrequencyMhz) * 1'000'000;
    facts_.memory_bytes = facts_.free_bytes = number<std::uint64_t>(kMemoryBytes);
    facts_.largest_buffer_bytes = number<std::uint64_t>(kLargestBuffer);
    facts_.cache_bytes = number<std::uint64_t>(kCacheBytes);
    facts_.line_bytes = number<Word>(kLineBytes);
    if (number<Word>(kLocalType) == kDedicated)
      facts_.local_bytes = number<std::uint64_t>(kLocalBytes);
    if (facts_.kind != "cpu") return;
    // The device consists of this machine's processors. Figures that the driver does not state are
    // taken from Linux.
    facts_.lanes = {1, 2, 4, 8, 16};
    facts_.read_lanes = 16;
    facts_.free_bytes = std::min(facts_.free_bytes, 2 * half_of_memory());
    const std::vector<Cache> caches = caches_here();
    if (caches.empty()) return;
    if (facts_.cache_bytes == 0) facts_.cache_bytes = caches.back().size_bytes;
    if (facts_.line_bytes == 0) facts_.line_bytes = caches.back().line_bytes;
  }

  Kernel kernel_of(Program program, const std::string& name) {
    Compiled& compiled = programs_.at(program);
    const auto found = compiled.kernels.find(name);
    if (found != compiled.kernels.end()) return found->second;
    Code code = kSuccess;
    const Kernel kernel = call_.create_kernel(compiled.program, name.c_str(), &code);
    check(code, "clCreateKernel of " + name);
    compiled.kernels[name] = kernel;
    return kernel;
  }

  DriverLibrary library_;
  Calls call_;
  DeviceId device_;
  AcceleratorFacts facts_;
  Context context_ = nullptr;
  Queue queue_ = nullptr;
  std::vector<Compiled> programs_;
  std::vector<Memory> buffers_;
};

}  // namespace

std::unique_ptr<Accelerator> open_opencl(std::size_t index, const std::string& library) {
  return std::make_unique<OpenClDevice>(index, library);
}

}  // namespace apmt::devices
