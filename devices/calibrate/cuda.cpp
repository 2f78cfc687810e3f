#include "devices/calibrate/cuda.h"

#include <algorithm>
#include <map>

#include "base/input_error.h"
#include "devices/calibrate/cuda_api.h"

namespace apmt::devices {
namespace {

using namespace cuda;

constexpr const char* kWords = R"(
#define KERNEL extern "C" __global__
#define DEVICE __device__
#define GLOBAL
#define LOCAL __shared__
#define TO_LOCAL
#define BARRIER __syncthreads()
#define ITEM ((WORD)blockIdx.x * blockDim.x + threadIdx.x)
#define ITEM_Y ((WORD)blockIdx.y)
#define ITEMS_Y ((WORD)gridDim.y)
#define GROUP ((WORD)blockIdx.x)
#define GROUPS ((WORD)gridDim.x)
#define LOCAL_ITEM ((WORD)threadIdx.x)
#define GROUP_ITEMS ((WORD)blockDim.x)
#define LANES 1
#define LOAD(p) (*(p))
#define STORE(v, p) *(p) = (v)
typedef unsigned long long WORD;
typedef REAL VECTOR;
)";

std::string words_of(const ElementType& type) {
  return std::string("#define REAL ") + (type.is_double ? "double" : "float") + "\n#define INDEX " +
         (type.is_double ? "unsigned long long" : "unsigned int") + "\n#define MOST_ITEMS " +
         std::to_string(apmt::devices::kMostItems) + kWords;
}

class CudaDevice : public Accelerator {
 public:
  CudaDevice(std::size_t index, const CudaLibraries& libraries)
      : driver_library_(libraries.driver, "install the driver of the NVIDIA GPU"),
        compiler_library_(libraries.compiler,
                          "install NVRTC, CUDA's run-time compiler, or put its folder into "
                          "LD_LIBRARY_PATH"),
        call_(driver_library_),
        compiler_(compiler_library_) {
    check(call_.init(0), "cuInit");
    int count = 0;
    check(call_.device_count(&count), "cuDeviceGetCount");
    if (count == 0) throw InputError("", "there is no CUDA device", "", ExitCode::kFailed);
    if (index >= static_cast<std::size_t>(count))
      throw InputError("", "there is no CUDA device " + std::to_string(index),
                       "the last one is " + std::to_string(count - 1));
    check(call_.device(&device_, static_cast<int>(index)), "cuDeviceGet");
    Context context = nullptr;
    check(call_.retain_context(&context, device_), "cuDevicePrimaryCtxRetain");
    context_.reset(this);
    check(call_.set_context(context), "cuCtxSetCurrent");
    ask();
  }

  ~CudaDevice() override {
    for (const Compiled& program : programs_) call_.unload(program.module);
    for (const Address address : buffers_)
      if (address != 0) call_.release(address);
  }

  const AcceleratorFacts& facts() const override { return facts_; }

  Program compile(const ElementType& type) override {
    const std::string text = words_of(type) + kAcceleratorKernels;
    Source source = nullptr;
    check_compiler(compiler_.create(&source, text.c_str(), "apmt.cu", 0, nullptr, nullptr),
                   "nvrtcCreateProgram");
    const std::string target = "--gpu-architecture=compute_" + std::to_string(attribute(kMajor)) +
                               std::to_string(attribute(kMinor));
    const char* options[] = {target.c_str()};
    std::string code, log;
    const Code result = compiler_.compile(source, 1, options);
    std::size_t size = 0;
    if (result == kSuccess && compiler_.code_size(source, &size) == kSuccess) {
      code.resize(size);
      if (compiler_.code(source, code.data()) != kSuccess) code.clear();
    } else if (compiler_.log_size(source, &size) == kSuccess) {
      log.resize(size);
      compiler_.log(source, log.data());
    }
    compiler_.destroy(&source);
    if (code.empty())
      throw InputError("NVRTC", "the kernels cannot be compiled for " + target.substr(19),
                       log.substr(0, std::min(log.find('\n'), log.find('\0'))), ExitCode::kFailed);
    Module module = nullptr;
    check(call_.load(&module, code.c_str()), "cuModuleLoadData");
    programs_.push_back({module, {}});
    return programs_.size() - 1;
  }

  Buffer allocate(std::uint64_t bytes) override {
    Address address = 0;
    check(call_.allocate(&address, bytes), "cuMemAlloc of " + std::to_string(bytes) + " bytes");
    buffers_.push_back(address);
    return buffers_.size() - 1;
  }

  void release(Buffer buffer) override {
    call_.release(buffers_.at(buffer));
    buffers_.at(buffer) = 0;
  }

  void write(Buffer to, const void* from, std::uint64_t bytes) override {
    check(call_.copy_to(buffers_.at(to), from, bytes), "cuMemcpyHtoD");
    finish();  // cuMemcpyHtoD may return before a small copy is complete
  }

  void read(Buffer from, void* to, std::uint64_t bytes) override {
    check(call_.copy_from(to, buffers_.at(from), bytes), "cuMemcpyDtoH");
  }

  void launch(Program program, const Launch& what, std::uint64_t times) override {
    const Function function = function_of(program, what.kernel);
    std::vector<Address> addresses;
    for (const Buffer buffer : what.buffers) addresses.push_back(buffers_.at(buffer));
    std::vector<std::uint64_t> numbers = what.numbers;
    std::vector<void*> arguments;
    for (Address& address : addresses) arguments.push_back(&address);
    for (std::uint64_t& number : numbers) arguments.push_back(&number);
    const unsigned groups = static_cast<unsigned>(what.items / what.group_items);
    const unsigned items = static_cast<unsigned>(what.group_items);
    const unsigned rows = static_cast<unsigned>(what.items_y);
    for (std::uint64_t i = 0; i < times; ++i)
      check(call_.launch(function, groups, rows, 1, items, 1, 1, 0, nullptr, arguments.data(),
                         nullptr),
            "cuLaunchKernel of " + what.kernel);
  }

  void finish() override { check(call_.synchronise(), "cuCtxSynchronize"); }

 private:
  struct Compiled {
    Module module;
    std::map<std::string, Function> functions;
  };
  struct ReleaseContext {
    void operator()(CudaDevice* self) const { self->call_.release_context(self->device_); }
  };

  void check(Code code, const std::string& call) const {
    if (code == kSuccess) return;
    const char* text = nullptr;
    if (call_.error_text(code, &text) != kSuccess || text == nullptr) text = "unknown error";
    throw InputError("CUDA", call + " failed: " + text, "", ExitCode::kFailed);
  }
  void check_compiler(Code code, const std::string& call) const {
    if (code != kSuccess)
      throw InputError("NVRTC", call + " failed with error " + std::to_string(code), "",
                       ExitCode::kFailed);
  }

  /// The value of an attribute of the device; 0 if the driver does not know the attribute.
  std::uint64_t attribute(int which) const {
    int value = 0;
    if (call_.attribute(&value, which, device_) != kSuccess) return 0;
    return static_cast<std::uint64_t>(std::max(0, value));
  }

  void ask() {
    char name[256] = "";
    check(call_.device_name(name, sizeof name, device_), "cuDeviceGetName");
    facts_.name = name;
    int version = 0;
    call_.driver_version(&version);
    facts_.driver = "CUDA driver interface " + std::to_string(version / 1000) + "." +
                    std::to_string(version % 1000 / 10);
    facts_.kind = "gpu";
    facts_.units = std::max<std::uint64_t>(1, attribute(kMultiprocessors));
    facts_.most_items = std::max<std::uint64_t>(1, attribute(cuda::kMostItems));
    facts_.frequency_hz = 1000 * attribute(kClockKhz);
    facts_.cache_bytes = attribute(kCacheBytes);
    facts_.local_bytes = attribute(kSharedBytes);
    std::size_t total = 0, free = 0;
    check(call_.total_memory(&total, device_), "cuDeviceTotalMem");
    check(call_.memory_info(&free, &total), "cuMemGetInfo");
    facts_.memory_bytes = total;
    facts_.free_bytes = facts_.largest_buffer_bytes = free;
  }

  Function function_of(Program program, const std::string& name) {
    Compiled& compiled = programs_.at(program);
    const auto found = compiled.functions.find(name);
    if (found != compiled.functions.end()) return found->second;
    Function function = nullptr;
    check(call_.function(&function, compiled.module, name.c_str()),
          "cuModuleGetFunction of " + name);
    compiled.functions[name] = function;
    return function;
  }

  DriverLibrary driver_library_, compiler_library_;
  DriverCalls call_;
  CompilerCalls compiler_;
  DeviceNumber device_ = 0;
  std::unique_ptr<CudaDevice, ReleaseContext> context_;  // released after modules and memory
  AcceleratorFacts facts_;
  std::vector<Compiled> programs_;
  std::vector<Address> buffers_;
};

}  // namespace

std::unique_ptr<Accelerator> open_cuda(std::size_t index, const CudaLibraries& libraries) {
  return std::make_unique<CudaDevice>(index, libraries);
}

}  // namespace apmt::devices
