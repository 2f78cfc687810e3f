// Compiles with clang the text that NVRTC would get. clang knows CUDA even where CUDA is not
// installed. The code for a GPU shows whether the compiler removed work that is to be measured.
// Skipped where clang-19 is not installed.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"
#include "devices/calibrate/cuda.h"
#include "tests/paths.h"
#include "tests/unit/devices/stand_in_cuda.h"

namespace apmt::devices {
namespace {

using ::testing::HasSubstr;

/// NVRTC knows these words itself.
constexpr const char* kNvrtcWords =
    "#define __global__ __attribute__((global))\n"
    "#define __device__ __attribute__((device))\n"
    "#define __shared__ __attribute__((shared))\n"
    "#define __syncthreads() __nvvm_bar_sync(0)\n"
    "#include <__clang_cuda_builtin_vars.h>\n";

/// The text that open_cuda() gives to the compiler; a stand-in records it.
std::string text_of(const ElementType& type) {
  const std::string stand_in = build_dir() + "/tests/unit/devices/libapmt_stand_in_cuda.so";
  void* library = ::dlopen(stand_in.c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(::dlerror());
  const auto record =
      reinterpret_cast<testing::StandInRecord* (*)()>(::dlsym(library, "stand_in_record"));
  open_cuda(0, {{stand_in}, {stand_in}})->compile(type);
  return record()->source;
}

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; ++at) ++found;
  return found;
}

class CudaKernels : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (std::system("clang-19 --version >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "clang-19 is not installed";
    const std::filesystem::path source = folder_.path() / "apmt.cu";
    write_file_atomically(source, kNvrtcWords + text_of({.is_double = GetParam(), .lanes = 1}));
    const std::string base = (folder_.path() / "apmt").string();
    const std::string command =
        "clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudalib -nocudainc "
        "-Wno-unknown-cuda-version -Werror -O2 -S " +
        base + ".cu -o " + base + ".ptx 2>" + base + ".log";
    const int code = std::system(command.c_str());
    ASSERT_EQ(code, 0) << read_whole_file(base + ".log");
    code_ = read_whole_file(base + ".ptx");
  }
  /// The code of a kernel.
  std::string kernel(const std::string& name) const {
    const std::size_t begin = code_.find(".entry " + name + "(");
    if (begin == std::string::npos) return "";
    return code_.substr(begin, code_.find("\n}\n", begin) - begin);
  }

  TemporaryFolder folder_;
  std::string code_;
};
INSTANTIATE_TEST_SUITE_P(Of, CudaKernels, ::testing::Bool(),
                         [](const auto& of) { return of.param ? "Doubles" : "Floats"; });

TEST_P(CudaKernels, AreCompiledWithAllTheirWork) {
  for (const char* name :
       {"fused", "halves", "idle", "chase", "clear", "fill_index", "stream", "stencil", "gather",
        "scatter", "transpose", "reduction", "matrix_vector", "matrix_matrix"})
    EXPECT_NE(kernel(name), "") << name;
  const std::string bits = GetParam() ? "f64" : "f32";
  // A round of each has ten chains of four operations.
  EXPECT_GE(count(kernel("fused"), "fma.rn." + bits), 40);
  EXPECT_GE(count(kernel("halves"), "mul.rn." + bits) + count(kernel("halves"), "mul." + bits), 20);
  EXPECT_GE(count(kernel("halves"), "add.rn." + bits) + count(kernel("halves"), "add." + bits), 20);
  EXPECT_THAT(kernel("chase"), HasSubstr(GetParam() ? "ld.global.u64" : "ld.global.u32"));
  for (const char* name : {"reduction", "matrix_vector"})
    EXPECT_EQ(count(kernel(name), "bar.sync"), 2) << name;
}

}  // namespace
}  // namespace apmt::devices
