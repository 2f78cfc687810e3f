#include "pmpi-shim/core/targets.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "family.h"

namespace apmt::shim {

Target g_targets[kOpCount];

namespace {

/// A program built against a newer MPI than the one it runs with: fails like any MPI call.
int missing() { return MPI_ERR_OTHER; }

/// Where the object that holds an address is mapped.
struct Range {
  uintptr_t address;
  uintptr_t begin;
  uintptr_t end;
  bool contains(const void* p) const {
    const uintptr_t a = reinterpret_cast<uintptr_t>(p);
    return a >= begin && a < end;
  }
};

int find_range(dl_phdr_info* info, size_t, void* data) {
  Range& range = *static_cast<Range*>(data);
  uintptr_t begin = UINTPTR_MAX, end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const uintptr_t first = info->dlpi_addr + segment.p_vaddr;
    if (first < begin) begin = first;
    if (first + segment.p_memsz > end) end = first + segment.p_memsz;
  }
  if (range.address < begin || range.address >= end) return 0;
  range.begin = begin;
  range.end = end;
  return 1;
}

Range range_of(const void* address) {
  Range range = {reinterpret_cast<uintptr_t>(address), 0, 0};
  dl_iterate_phdr(find_range, &range);
  return range;
}

/// An MPI that the program loaded privately (an extension of an interpreter, say) lies behind us in
/// no search order; it is found by its name.
void* private_library() {
  for (const char* name : kLibraryNames)
    if (void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD)) return library;
  return nullptr;
}

void* find(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found != nullptr) return found;
  void* library = private_library();
  return library == nullptr ? nullptr : dlsym(library, name);
}

/// MPI's own object: an MPI_X found in there is no other tool's.
bool belongs_to_mpi(const void* function, const void* real) {
  static Range mpi = {0, 0, 0};
  if (mpi.contains(function)) return true;
  const Range own = range_of(real);
  if (own.contains(function)) {
    mpi = own;
    return true;
  }
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return true;
  const char* slash = strrchr(info.dli_fname, '/');
  return strncmp(slash == nullptr ? info.dli_fname : slash + 1, "libmpi", 6) == 0;
}

}  // namespace

const Target& resolve(Op op) {
  const int saved_errno = errno;
  Target& target = g_targets[number(op)];
  const char* const name = kOpTable[number(op)].name;
  char profiled_name[format::kMaxOpNameBytes + 1];
  snprintf(profiled_name, sizeof profiled_name, "P%s", name);
  void* real = find(profiled_name);
  if (real == nullptr) real = reinterpret_cast<void*>(missing);
  void* next = dlsym(RTLD_NEXT, name);
  if (next == nullptr || belongs_to_mpi(next, real)) next = real;
  __atomic_store_n(&target.real, real, __ATOMIC_RELAXED);
  __atomic_store_n(&target.next, next, __ATOMIC_RELAXED);
  errno = saved_errno;
  return target;
}

void resolve_all() {
  for (uint32_t i = 1; i < kOpCount; ++i) resolve(static_cast<Op>(i));
}

bool exists(Op op) { return real_function(op) != reinterpret_cast<void*>(missing); }

void* mpi_symbol(const char* name) {
  // The program may hold the one copy of the library's data (a copy relocation), so it is asked
  // first.
  void* found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : find(name);
}

}  // namespace apmt::shim
