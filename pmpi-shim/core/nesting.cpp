#include "pmpi-shim/core/nesting.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "pmpi-shim/core/unwinder.h"
#include "profiler/runtime/peek.h"

namespace apmt::shim {
namespace {

/// Addresses farther apart than this count as being on different stacks.
constexpr uintptr_t kOneStack = 1 << 20;

#if defined(__x86_64__)

bool is_of_mpi(uint64_t address) {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(address), &info) == 0 || info.dli_fname == nullptr)
    return false;
  const char* const slash = strrchr(info.dli_fname, '/');
  const char* const name = slash == nullptr ? info.dli_fname : slash + 1;
  constexpr const char* kStarts[] = {"libmpi",   "libpmpi", "mca_",
                                     "libopen-", "libompi", "libsimgrid"};
  for (const char* start : kStarts)
    if (strncmp(name, start, strlen(start)) == 0) return true;
  return false;
}

/// Whether an address is in MPI. The answers are cached: an entry is twice the address, plus 1 if
/// the address is in MPI. A newer address replaces an older one with the same place in the cache.
bool is_place_in_mpi(uint64_t address) {
  constexpr uint64_t kPlaces = 1024;
  static uint64_t places[kPlaces];
  uint64_t& place = places[spread(address) % kPlaces];
  const uint64_t seen = __atomic_load_n(&place, __ATOMIC_RELAXED);
  if (seen >> 1 == address) return (seen & 1) != 0;
  const bool is = is_of_mpi(address);
  __atomic_store_n(&place, (address << 1) | (is ? 1 : 0), __ATOMIC_RELAXED);
  return is;
}

struct Search {
  uint64_t slot;  // the stack slot that held the return address of the outermost wrapper
  uint64_t return_address;
  bool passed;  // the walk found no frame that returns from this slot to this address
};

_Unwind_Reason_Code look(struct _Unwind_Context* context, void* data) {
  Search& search = *static_cast<Search*>(data);
  const uint64_t slot = g_unwinder.cfa(context) - sizeof(uint64_t);
  if (slot < search.slot) return _URC_NO_REASON;
  search.passed = slot > search.slot || g_unwinder.ip(context) != search.return_address;
  return _URC_NORMAL_STOP;
}

/// Whether the outermost call has ended although its return address is still on the stack (no newer
/// frame has overwritten it). Only an unwinder can detect that; without one, returns false.
bool is_gone(const rt::ThreadState& self) {
  if (g_unwinder.backtrace == nullptr) return false;
  Search search = {self.outermost_frame + sizeof(uint64_t), self.outermost_return, false};
  walk_stack(look, &search);
  return search.passed;
}

/// Whether the outermost frame's return address is still on the stack. Only the page of `frame`, an
/// active frame, surely exists. Other pages may be unmapped, such as the stack of a fiber that has
/// ended. If the operating system does not let the recorder read the memory, returns true.
bool is_return_address_there(const rt::ThreadState& self, uintptr_t frame) {
  constexpr uintptr_t kPageBytes = 4096;
  const uintptr_t slot = self.outermost_frame + sizeof(uint64_t);
  if (slot / kPageBytes == frame / kPageBytes)
    return *reinterpret_cast<const uint64_t*>(slot) == self.outermost_return;
  const int saved_errno = errno;
  uint64_t there = self.outermost_return;
  const bool is_unmapped = !rt::peek_safely(slot, &there, sizeof there) && errno == EFAULT;
  errno = saved_errno;
  return !is_unmapped && there == self.outermost_return;
}

/// Whether the outermost call has been left. To be called only if the frame of the outermost call
/// is on the same stack as the frame of the present call, and above it.
bool is_frame_left(const rt::ThreadState& self, Op op, uint64_t return_address) {
  const bool by_tool = self.op == number(op) && next_function(op) != real_function(op);
  return !by_tool && !is_place_in_mpi(return_address) && is_gone(self);
}

#else

bool is_return_address_there(const rt::ThreadState&, uintptr_t) { return true; }
bool is_frame_left(const rt::ThreadState&, Op, uint64_t) { return false; }

#endif

}  // namespace

bool is_inside(const rt::ThreadState& self, Op op, uintptr_t frame, uint64_t return_address) {
  const bool is_above = frame >= self.outermost_frame;
  const bool is_near =
      (is_above ? frame - self.outermost_frame : self.outermost_frame - frame) <= kOneStack;
  if (is_near && is_above) return false;
  if (!is_return_address_there(self, frame)) return false;
  return !is_near || !is_frame_left(self, op, return_address);
}

}  // namespace apmt::shim
