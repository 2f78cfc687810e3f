// Tests of finding the function at an address, in objects that the test compiles, strips and
// splits.
#include "profiler/reader/symbols.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "base/atomic_file.h"
#include "base/temporary_folder.h"
#include "profiler/reader/fold_inlined.h"
#include "profiler/reader/fold_kernels.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// A folder with sources and the files built from them.
class Workshop : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (dir_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir_ / name) << text;
  }
  bool runs(const std::string& command) const {
    return std::system(("cd '" + dir_.string() + "' && { " + command + "; } >log 2>&1").c_str()) ==
           0;
  }
  void run(const std::string& command) const {
    ASSERT_TRUE(runs(command)) << command << "\n" << read_whole_file(dir_ / "log");
  }
  static bool has(const std::string& tool) {
    return std::system(("command -v " + tool + " >/dev/null 2>&1").c_str()) == 0;
  }

  struct Code {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  /// The address range of a function in an object, from its symbol.
  Code code_of(const std::string& object, const std::string& function) const {
    EXPECT_TRUE(runs("nm -S " + object));
    std::istringstream lines(read_whole_file(dir_ / "log"));
    std::string begin, size, type, name;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      if (words >> begin >> size >> type >> name && name == function) {
        const std::uint64_t at = std::stoull(begin, nullptr, 16);
        return {at, at + std::stoull(size, nullptr, 16)};
      }
    }
    ADD_FAILURE() << "no " << function << " in " << object;
    return {};
  }
  std::string name_at(const std::string& object, std::uint64_t address) {
    return symbols_.function_at(path(object), "", address).id.linkage_name;
  }

  const TemporaryFolder folder_;
  const fs::path& dir_ = folder_.path();
  Symbols symbols_;
  int objects_ = 0;
};

/// An exported function and a static one that it calls.
constexpr const char* kLibrary = R"(
__attribute__((noinline)) static double hidden(double x, int n) {
  for (int i = 0; i < n; ++i) x = x * 1.5 + i;
  return x;
}
__attribute__((noinline, visibility("default"))) double shown(double x, int n) {
  for (int i = 0; i < n; ++i) x = hidden(x, i) - 1;
  return x;
}
)";

/// A server that listens but never answers, and reports whether a client has connected.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t bytes = sizeof address_;
    works_ = ::bind(socket_, reinterpret_cast<sockaddr*>(&address_), bytes) == 0 &&
             ::listen(socket_, 8) == 0 &&
             ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address_), &bytes) == 0;
  }
  ~SilentServer() { ::close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  bool works() const { return works_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }
  bool was_asked() const {
    const int asked = ::accept(socket_, nullptr, nullptr);
    if (asked >= 0) ::close(asked);
    return asked >= 0;
  }

 private:
  int socket_;
  sockaddr_in address_{};
  bool works_ = false;
};

TEST_F(Workshop, NoServerIsAskedForDebugInformation) {
  const SilentServer server;
  if (!server.works()) GTEST_SKIP() << "no socket on this machine";
  write("a.c", "int work(int x) { return x + 1; }\nint main(void) { return work(1); }\n");
  run(std::string(APMT_C_COMPILER) + " -Wl,--build-id a.c -o a");
  ::setenv("DEBUGINFOD_URLS", server.url().c_str(), 1);
  ::setenv("DEBUGINFOD_TIMEOUT", "1", 1);
  ::setenv("DEBUGINFOD_CACHE_PATH", path("cache").c_str(), 1);
  EXPECT_EQ(name_at("a", code_of("a", "work").begin), "work");
  EXPECT_FALSE(server.was_asked()) << "without a network, the request would hang";
  EXPECT_EQ(std::getenv("DEBUGINFOD_URLS"), server.url())
      << "child processes get the variable unchanged";
  ::unsetenv("DEBUGINFOD_URLS");
}

TEST_F(Workshop, ClonesAreTheFunctionTheyAreMadeOf) {
  write("clones.c", R"(
double solve(double x) { return x * 2; }
double a(double x) __asm__("solve.isra.0");
double a(double x) { return x * 3; }
double b(double x) __asm__("solve.part.1.lto_priv.0");
double b(double x) { return x * 4; }
double c(double x) __asm__("solve.constprop.0.cold");
double c(double x) { return x * 5; }
__attribute__((noinline)) static double scaled(double x, int n) {
  for (int i = 0; i < n; ++i) x = x * 1.5 + n;
  return x;
}
int main(int argc, char** argv) { return (int)(scaled(argc, 1000) + scaled(argc + 1, 1000)); }
)");
  run(APMT_C_COMPILER " -O2 -g -fPIE -pie clones.c -o clones");
  std::set<std::string> sources;
  for (const char* symbol :
       {"solve", "solve.isra.0", "solve.part.1.lto_priv.0", "solve.constprop.0.cold"})
    EXPECT_EQ(name_at("clones", code_of("clones", symbol).begin), "solve") << symbol;
  run("nm clones");
  const std::string all = read_whole_file(dir_ / "log");
  for (const char* clone :
       {"scaled.constprop.0", "scaled.isra.0"})  // the compiler chooses which of the two it makes
    if (all.find(clone) != std::string::npos) {
      const Function f =
          symbols_.function_at(path("clones"), "", code_of("clones", clone).begin + 4);
      EXPECT_EQ(f.id.linkage_name, "scaled");
      EXPECT_EQ(f.id.source, "clones.c");
    }
}

TEST_F(Workshop, AStrippedObjectKeepsExportedNamesAndTheBoundsOfTheOthers) {
  write("lib.c", kLibrary);
  run(APMT_C_COMPILER " -O1 -fPIC -shared -fno-ipa-cp lib.c -o lib.so");
  const Code hidden = code_of("lib.so", "hidden");
  const Code shown = code_of("lib.so", "shown");
  run("cp lib.so whole.so; strip lib.so");
  EXPECT_EQ(name_at("whole.so", hidden.begin + 3), "hidden");
  EXPECT_EQ(name_at("lib.so", shown.begin + 3), "shown") << "from .dynsym";
  char expected[64];
  std::snprintf(expected, sizeof expected, "lib.so+0x%llx",
                static_cast<unsigned long long>(hidden.begin));
  for (std::uint64_t at = hidden.begin; at < hidden.end; ++at)
    ASSERT_EQ(name_at("lib.so", at), expected)
        << "one function, one kernel: .eh_frame has its bounds";
  EXPECT_EQ(name_at("lib.so", 0x7654321), "lib.so+0x7654321") << "in no function at all";
}

TEST_F(Workshop, NamesComeFromASmallSymbolTableThatWasPackedIn) {
  if (!has("xz")) GTEST_SKIP() << "xz is not installed";
  write("lib.c", kLibrary);
  run(APMT_C_COMPILER " -O1 -fPIC -shared -fno-ipa-cp lib.c -o lib.so");
  const Code hidden = code_of("lib.so", "hidden");
  // Like a distribution, puts only the symbols of functions, compressed, into .gnu_debugdata.
  run("objcopy --only-keep-debug lib.so mini && strip --strip-debug mini && xz mini && strip "
      "lib.so && "
      "objcopy --add-section .gnu_debugdata=mini.xz lib.so");
  EXPECT_EQ(name_at("lib.so", hidden.begin + 3), "hidden");
}

TEST_F(Workshop, DebugInformationIsFoundByBuildId) {
  write("lib.c", kLibrary);
  run(APMT_C_COMPILER
      " -O1 -g -fPIC -shared -fno-ipa-cp -Wl,--build-id=0x0123456789abcdef lib.c -o lib.so");
  const Code hidden = code_of("lib.so", "hidden");
  run("mkdir -p debug/.build-id/01 && objcopy --only-keep-debug lib.so "
      "debug/.build-id/01/23456789abcdef.debug && "
      "strip lib.so && rm lib.c");
  EXPECT_NE(name_at("lib.so", hidden.begin), "hidden") << "nothing to find yet";
  setenv("APMT_DEBUG_PATH", path("debug").c_str(), 1);
  Symbols symbols;
  const Function f = symbols.function_at(path("lib.so"), "0123456789abcdef", hidden.begin + 3);
  unsetenv("APMT_DEBUG_PATH");
  EXPECT_EQ(f.id.linkage_name, "hidden");
  EXPECT_EQ(f.id.source, "lib.c");
}

TEST_F(Workshop, AFileThatWasRebuiltGivesNoNames) {
  write("lib.c", kLibrary);
  run(APMT_C_COMPILER " -O1 -fPIC -shared -Wl,--build-id=0x0123456789abcdef lib.c -o lib.so");
  const Code shown = code_of("lib.so", "shown");
  EXPECT_EQ(symbols_.function_at(path("lib.so"), "0123456789abcdef", shown.begin).id.linkage_name,
            "shown");
  EXPECT_NE(symbols_.function_at(path("lib.so"), "1123456789abcdef", shown.begin).id.linkage_name,
            "shown");
  EXPECT_NE(symbols_.problems().at(path("lib.so")).find("rebuilt"), std::string::npos);
}

TEST_F(Workshop, InlinedFunctionsAndLinesLieBelowTheKernel) {
  write("kernel.cpp", R"(namespace grid {
[[gnu::always_inline]] inline double flux(double x) {
  return x * x + 1 / x;
}
}
double kernel(const double* a, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += grid::flux(a[i]);
  return sum;
}
)");
  run(APMT_CXX_COMPILER " -O2 -g -fPIC -shared kernel.cpp -o kernel.so");
  const Code code = code_of("kernel.so", "_Z6kernelPKdi");
  std::set<std::string> inlined;
  std::set<int> lines;
  for (std::uint64_t at = code.begin; at < code.end; ++at) {
    const Function f = symbols_.function_at(path("kernel.so"), "", at);
    ASSERT_EQ(f.name, "kernel(double const*, int)") << "inlined functions are part of it";
    const Place place = symbols_.place_at(path("kernel.so"), "", at);
    inlined.insert(place.inlined);
    lines.insert(place.line);
    if (!place.inlined.empty()) {
      EXPECT_EQ(place.line, 3);
    }
    EXPECT_EQ(place.source, "kernel.cpp");
  }
  EXPECT_EQ(inlined, (std::set<std::string>{"", "grid::flux(double)"}));
  EXPECT_TRUE(lines.contains(9));
}

TEST_F(Workshop, TheChainOfInlinedFunctionsBeginsAtTheKernel) {
  write("chain.cpp", R"(namespace grid {
[[gnu::always_inline]] inline double flux(double x) { return x * x + 1 / x; }
[[gnu::always_inline]] inline double relax(const double* a, int i) { return a[i - 1] + flux(a[i]); }
}
double kernel(const double* a, int n) {
  double sum = 0;
  for (int i = 1; i < n; ++i) sum += grid::relax(a, i);
  return sum;
}
)");
  run(APMT_CXX_COMPILER " -O2 -g -fPIC -shared chain.cpp -o chain.so");
  const Code code = code_of("chain.so", "_Z6kernelPKdi");
  const std::string relax = "_ZN4grid5relaxEPKdi", flux = "_ZN4grid4fluxEd";
  std::set<std::vector<std::string>> chains;
  for (std::uint64_t at = code.begin; at < code.end; ++at) {
    symbols_.function_at(path("chain.so"), "", at);
    chains.insert(symbols_.inlined_at(path("chain.so"), "", at));
  }
  EXPECT_EQ(chains, (std::set<std::vector<std::string>>{{}, {relax}, {relax, flux}}));
  EXPECT_TRUE(symbols_.inlined_at("unopened.so", "", code.begin).empty());

  // Each instruction of relax has samples for 10 ms. In the second round, the rest of the kernel
  // has far more. Then relax and flux have less than a thousandth of the time and are not listed.
  for (const std::uint64_t own : {1, 1000000}) {
    RawRecording raw;
    raw.header.world_size = 1;
    raw.header.event_count = 1;
    raw.header.sample_source = format::SampleSource::kPosixTimer;
    raw.header.events[0].period = 10000000;
    raw.modules.push_back({0x10000, 0x10000 + 0x10000, 0x10000, path("chain.so"), "", false});
    std::map<std::vector<std::string>, double> seconds;
    for (std::uint64_t at = code.begin; at < code.end; ++at) {
      const auto chain = symbols_.inlined_at(path("chain.so"), "", at);
      format::Sample sample{};
      sample.key = format::sample_key(0x10000 + at, 0, format::Stage::kMain);
      sample.counts[0] = chain.empty() ? own : 1;
      raw.samples.push_back(sample);
      seconds[chain] += 0.01 * static_cast<double>(sample.counts[0]);
    }
    const std::vector<RawRecording> ranks = {raw};
    Symbols symbols;
    RunProfile profile;
    fold_kernels(ranks, symbols, &profile);
    fold_inlined(ranks, symbols, &profile);
    ASSERT_EQ(profile.kernels.size(), 1u);
    std::map<std::vector<std::string>, double> found;
    for (const InlinedProfile& inlined : profile.kernels[0].inlined)
      found[inlined.functions] = inlined.cpu_s;
    ASSERT_EQ(found.size(), own == 1 ? 2u : 0u);
    if (own > 1) continue;
    EXPECT_NEAR(found.at({relax}), seconds.at({relax}), 1e-9);
    const std::vector<std::string> nested = {relax, flux};
    EXPECT_NEAR(found.at(nested), seconds.at(nested), 1e-9);
  }
}

TEST(Demangled, OnlyWhatIsMangled) {
  for (const char* name : {"f", "i", "d", "v", "main", "_start", "_R"})
    EXPECT_EQ(demangled(name), name) << "a C function";
  EXPECT_EQ(demangled("_Z1fv"), "f()");
  EXPECT_EQ(demangled("_ZN4grid5relaxEd"), "grid::relax(double)");
  EXPECT_EQ(demangled("_ZN4heat5sweep17h0123456789abcdefE"), "heat::sweep::h0123456789abcdef")
      << "Rust";
}

TEST_F(Workshop, FortranNamesAreThoseOfTheSource) {
  EXPECT_EQ(demangled("__grid_MOD_relax"), "grid::relax");
  EXPECT_EQ(demangled("MAIN__"), "MAIN__");
  if (!has("gfortran")) GTEST_SKIP() << "gfortran is not installed";
  write("grid.f90", R"(module grid
contains
  subroutine relax(a)
    real :: a(:)
    a = a * 0.5
  end subroutine
end module
program heat
  use grid
  real :: a(100)
  a = 1
  call relax(a)
  call inside(a)
  print *, a(1)
contains
  subroutine inside(a)
    real :: a(:)
    a = sqrt(a)
  end subroutine
end program
)");
  run("gfortran -O1 -fno-inline -g grid.f90 -o heat");
  const Function relax =
      symbols_.function_at(path("heat"), "", code_of("heat", "__grid_MOD_relax").begin + 1);
  EXPECT_EQ(relax.name, "grid::relax");
  EXPECT_EQ(relax.id.source, "grid.f90");
  EXPECT_EQ(name_at("heat", code_of("heat", "MAIN__").begin + 1), "MAIN__");
  run("nm heat | sed -n 's/.* t \\(inside[.0-9]*\\)$/\\1/p' >inside; test -s inside");
  std::string inside;
  std::ifstream(dir_ / "inside") >> inside;
  const Function nested = symbols_.function_at(path("heat"), "", code_of("heat", inside).begin + 1);
  EXPECT_EQ(nested.id.source, "grid.f90") << "a procedure inside another";
}

TEST_F(Workshop, ATemporaryCopyOfASourceHasTheNameOfTheSource) {
  // smpiff gives names such as cg.f_AbCdEfGhIj.f, which differ in every build.
  const auto source = [&](const std::string& file) {
    const std::string object = std::to_string(objects_++) + ".so";
    write("made.c", "#line 1 \"" + file + "\"\nint shown(int n) { return n * n; }\n");
    run(std::string(APMT_C_COMPILER) + " -O1 -g -shared -fPIC made.c -o " + object);
    return symbols_.function_at(path(object), "", code_of(object, "shown").begin).id.source;
  };
  EXPECT_EQ(source("CG/cg.f_f6U5XMFNLk.f"), "cg.f");
  EXPECT_EQ(source("grid.f90_wW1XbGztBl.f90"), "grid.f90");
  EXPECT_EQ(source("cg.f_short.f"), "cg.f_short.f");
  EXPECT_EQ(source("cg.f_f6U5XMFNLk.c"), "cg.f_f6U5XMFNLk.c");
}

}  // namespace
}  // namespace apmt
