#include "kernels/runtime/spare_counters.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "kernels/runtime/interface.h"

namespace apmt::kernels {
namespace {

constinit std::uint64_t* spare = nullptr;

}  // namespace

std::uint64_t* spare_counters() {
  if (std::uint64_t* there = __atomic_load_n(&spare, __ATOMIC_ACQUIRE)) return there;
  // A system call, because mmap() may be a function of the program, and instrumented.
  const long address = ::syscall(SYS_mmap, nullptr, kCounterBytes, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == -1) std::abort();
  auto* const memory = reinterpret_cast<std::uint64_t*>(address);
  std::uint64_t* known = nullptr;
  if (__atomic_compare_exchange_n(&spare, &known, memory, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return memory;
  ::munmap(memory, kCounterBytes);  // another thread or handler was faster
  return known;
}

const std::uint64_t* spare_counters_used() { return __atomic_load_n(&spare, __ATOMIC_ACQUIRE); }

}  // namespace apmt::kernels
