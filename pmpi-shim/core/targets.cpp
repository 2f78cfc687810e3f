#include "pmpi-shim/core/targets.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "family.h"
#include "profiler/runtime/segments.h"

namespace apmt::shim {

Target g_targets[kOpCount];

namespace {

/// Stands in for functions that the MPI of this run lacks. Returns an error, like an MPI call that
/// fails.
int missing() { return MPI_ERR_OTHER; }

uint64_t address_of(const void* function) { return reinterpret_cast<uint64_t>(function); }

struct Search {
  uint64_t address;
  rt::MappedRange range;
};

int find_range(dl_phdr_info* info, size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  const rt::MappedRange range = rt::mapped_range(*info);
  if (!range.contains(search.address)) return 0;
  search.range = range;
  return 1;
}

/// The address range of the object that contains a function.
rt::MappedRange range_around(const void* function) {
  Search search = {address_of(function), {}};
  dl_iterate_phdr(find_range, &search);
  return search.range;
}

/// MPI's library, found by its name. dlsym(RTLD_NEXT) does not search it if MPI was loaded with
/// RTLD_LOCAL, for example by a Python extension.
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

/// Whether `function` is in MPI's own library, which contains `real`, and not in another tool's.
bool belongs_to_mpi(const void* function, const void* real) {
  static rt::MappedRange mpi;
  if (mpi.contains(address_of(function))) return true;
  const rt::MappedRange own = range_around(real);
  if (own.contains(address_of(function))) {
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
  // The program is searched first: the linker may have moved the library's data into it (a copy
  // relocation), and then only that copy is in use.
  void* found = dlsym(RTLD_DEFAULT, name);
  return found != nullptr ? found : find(name);
}

}  // namespace apmt::shim
