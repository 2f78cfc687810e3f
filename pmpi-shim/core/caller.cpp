// Finds the address in the program from which an MPI function was called. If the program called one
// of MPI's Fortran bindings, and the binding called the wrapper, the wrapper's return address lies
// in the bindings, and the wanted return address lies further up the stack.
//
// For each address in the bindings that calls MPI, the compiler's stack unwinder runs once, to find
// the distance from the wrapper's frame to the stack slot with the wanted address. Frames of the
// bindings have a fixed size, so later calls from the same address only read the slot. If the slot
// holds an address in the bindings, or if there is no unwinder, the address in the bindings is
// used. All this is done only on x86-64, because on other processors a return address need not be
// on the stack.
#include "pmpi-shim/core/caller.h"

#include <link.h>
#include <string.h>

#include "pmpi-shim/core/unwinder.h"
#include "profiler/runtime/segments.h"

namespace apmt::shim {

uint32_t g_binding_count = 0;

#if defined(__x86_64__)
namespace {

constexpr uint32_t kMaxBindings = 8;
rt::MappedRange g_bindings[kMaxBindings];

/// Each entry of g_places has a return address into the bindings in the low 48 bits, and the
/// distance (in words) in the upper 16 bits. An entry of 0 is free. A distance of 0 means that the
/// slot with the wanted address could not be found.
constexpr uint32_t kPlaces = 4096;
uint64_t g_places[kPlaces];
constexpr uint64_t kAddressMask = (uint64_t{1} << 48) - 1;
constexpr uint64_t kMaxDistance = (uint64_t{1} << 16) - 1;

bool in_bindings(uint64_t address) {
  for (uint32_t i = 0; i < g_binding_count; ++i)
    if (g_bindings[i].contains(address)) return true;
  return false;
}

/// Whether a library may hold Fortran bindings. MPI's main library is included, because MPICH's
/// holds parts of mpi_f08.
bool is_binding(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* const name = slash == nullptr ? path : slash + 1;
  return strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libsimgrid", 10) == 0;
}

bool has_fortran(const char* path) {
  return strstr(path, "libmpi_mpifh") != nullptr || strstr(path, "libmpi_usempi") != nullptr ||
         strstr(path, "libmpifort") != nullptr || strstr(path, "libmpichfort") != nullptr ||
         strstr(path, "libmpichf") != nullptr || strstr(path, "libsimgrid") != nullptr;
}

int collect(dl_phdr_info* info, size_t, void* data) {
  if (!is_binding(info->dlpi_name)) return 0;
  uint32_t& count = *static_cast<uint32_t*>(data);
  if (count == kMaxBindings) return 1;
  g_bindings[count++] = rt::mapped_range(*info);
  return 0;
}

int look_for_fortran(dl_phdr_info* info, size_t, void*) { return has_fortran(info->dlpi_name); }

struct Walk {
  uint64_t from;  // the return address of the wrapper
  bool passed;    // the walk has reached the caller of the wrapper
  uint64_t slot;  // the stack slot that holds the return address into the program
};

_Unwind_Reason_Code step(struct _Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const uint64_t ip = g_unwinder.ip(context);
  walk.passed = walk.passed || ip == walk.from;
  if (!walk.passed || in_bindings(ip)) return _URC_NO_REASON;
  const uint64_t slot = g_unwinder.cfa(context) - sizeof(uint64_t);
  if (*reinterpret_cast<const uint64_t*>(slot) == ip) walk.slot = slot;
  return _URC_NORMAL_STOP;
}

/// The distance in words from `frame` to the slot with the wanted address; 0 if it is not found.
uint64_t find_distance(uint64_t return_address, uintptr_t frame) {
  Walk walk = {return_address, false, 0};
  walk_stack(step, &walk);
  if (walk.slot <= frame) return 0;
  const uint64_t words = (walk.slot - frame) / sizeof(uint64_t);
  return words <= kMaxDistance ? words : 0;
}

uint64_t distance(uint64_t return_address, uintptr_t frame) {
  uint64_t index = (return_address * 0x9e3779b97f4a7c15ULL) >> 52;
  for (int probe = 0; probe < 16; ++probe, index = (index + 1) % kPlaces) {
    uint64_t seen = __atomic_load_n(&g_places[index], __ATOMIC_RELAXED);
    if ((seen & kAddressMask) == return_address) return seen >> 48;
    if (seen != 0) continue;
    const uint64_t words = find_distance(return_address, frame);
    __atomic_compare_exchange_n(&g_places[index], &seen, return_address | (words << 48), false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return words;
  }
  return 0;
}

}  // namespace

void find_bindings() {
  if (dl_iterate_phdr(look_for_fortran, nullptr) == 0) return;
  if (g_unwinder.backtrace == nullptr) return;
  uint32_t count = 0;
  dl_iterate_phdr(collect, &count);
  __atomic_store_n(&g_binding_count, count, __ATOMIC_RELEASE);
}

uint64_t caller_behind_binding(uint64_t return_address, uintptr_t frame) {
  if (!in_bindings(return_address)) return return_address;
  const uint64_t words = distance(return_address, frame);
  if (words == 0) return return_address;
  const uint64_t caller = reinterpret_cast<const uint64_t*>(frame)[words];
  return caller <= kAddressMask && !in_bindings(caller) ? caller : return_address;
}

#else

void find_bindings() {}
uint64_t caller_behind_binding(uint64_t return_address, uintptr_t) { return return_address; }

#endif

}  // namespace apmt::shim
