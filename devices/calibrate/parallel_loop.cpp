#include "devices/calibrate/parallel_loop.h"

#include "base/input_error.h"
#include "devices/calibrate/driver_library.h"

namespace apmt::devices {

std::optional<Figure> parallel_loop_s(unsigned threads, std::uint64_t loops,
                                      const Patience& patience) try {
  // The function that GCC calls for `#pragma omp parallel`; LLVM's library has it as well.
  void (*parallel)(void (*work)(void*), void* data, unsigned threads, unsigned flags) = nullptr;
  DriverLibrary({"libgomp.so.1", "libomp.so.5", "libomp.so"}, "").find("GOMP_parallel", &parallel);
  const auto run = [&](std::uint64_t times) {
    const double begin = now_s();
    for (std::uint64_t i = 0; i < times; ++i) parallel([](void*) {}, nullptr, threads, 0);
    return (now_s() - begin) / static_cast<double>(times);
  };
  run(1);  // starts the threads
  return repeat([&] { return run(loops); }, patience);
} catch (const InputError&) {
  return std::nullopt;
}

}  // namespace apmt::devices
