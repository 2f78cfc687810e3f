// Counts calls by which Fortran programs pass zero requests to MPI_WAITALL and similar functions.
// Open MPI's Fortran bindings return at once from such a call, without calling the C function,
// whose wrapper counts all other calls. So this file defines wrappers of the bindings. If a binding
// does call the C function with zero requests, that call is nested and is not counted a second
// time.
//
// Programs with mpif.h or `use mpi` call mpi_waitall_ or one of its other spellings. Programs with
// `use mpi_f08` call a function that calls another binding, such as ompi_waitall_f or
// pmpi_testall_.
#include <dlfcn.h>

#include <type_traits>

#include "pmpi-shim/core/plans.h"
#include "pmpi-shim/core/wrapper.h"

namespace apmt::shim {
namespace {

/// A call with a count of zero requests: counted and timed like the C function of that name.
template <bool kBlocking>
struct EndsNone : Plan {
  static constexpr bool kBlocks = kBlocking;
  static constexpr bool kCompletes = true;
};

/// The arguments of a Fortran call. All are addresses; the last is the address of the error code.
template <class... T>
struct Addresses {
  std::tuple<T...> values;
  void* function;

  int call(void*) {
    std::apply([this](T... values_) { reinterpret_cast<void (*)(T...)>(function)(values_...); },
               values);
    return MPI_SUCCESS;
  }
};

/// The binding that the wrapper replaces. If the bindings were loaded with RTLD_LOCAL (for example
/// by a Python extension), only a search that begins at the calling shared object finds them.
void* own_function(const char* name, void* caller) {
  if (void* function = dlsym(RTLD_NEXT, name)) return function;
  Dl_info of;
  if (dladdr(caller, &of) == 0) return nullptr;
  void* const object = dlopen(of.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return object == nullptr ? nullptr : dlsym(object, name);
}

template <Op op, bool kBlocking, class... T>
[[gnu::always_inline]] inline void wrap_fortran(void*& next, const char* name, void* caller,
                                                void* frame_address, const int* count, T... rest) {
  void* function = __atomic_load_n(&next, __ATOMIC_RELAXED);
  if (function == nullptr) {
    function = own_function(name, caller);
    __atomic_store_n(&next, function, __ATOMIC_RELAXED);
  }
  Addresses<const int*, T...> call{{count, rest...}, function};
  rt::ThreadState& self = rt::self();
  const uintptr_t frame = reinterpret_cast<uintptr_t>(frame_address);
  const uint64_t return_address = reinterpret_cast<uint64_t>(caller);
  if (*count != 0 || !rt::wrapping() || is_nested(self, op, frame, return_address))
    call.call(nullptr);
  else
    record<op, EndsNone<kBlocking>>(call, self, return_address, frame);
}

}  // namespace

#define APMT_PARAMETERS_4 const int *count, void *b, void *c, void *d
#define APMT_PARAMETERS_5 APMT_PARAMETERS_4, void* e
#define APMT_PARAMETERS_6 APMT_PARAMETERS_5, void* f
#define APMT_VALUES_4 count, b, c, d
#define APMT_VALUES_5 APMT_VALUES_4, e
#define APMT_VALUES_6 APMT_VALUES_5, f

#define APMT_ENTRY(symbol, op, blocks, number)                                         \
  extern "C" __attribute__((visibility("default"))) void apmt_f_##symbol(              \
      APMT_PARAMETERS_##number) __asm__(#symbol);                                      \
  void apmt_f_##symbol(APMT_PARAMETERS_##number) {                                     \
    static void* next;                                                                 \
    wrap_fortran<Op::k##op, blocks>(next, #symbol, __builtin_return_address(0),        \
                                    __builtin_frame_address(0), APMT_VALUES_##number); \
  }
#define APMT_SPELLINGS(lower, UPPER, op, blocks, number) \
  APMT_ENTRY(mpi_##lower##_, op, blocks, number)         \
  APMT_ENTRY(mpi_##lower##__, op, blocks, number)        \
  APMT_ENTRY(mpi_##lower, op, blocks, number)            \
  APMT_ENTRY(MPI_##UPPER, op, blocks, number)            \
  APMT_ENTRY(pmpi_##lower##_, op, blocks, number)        \
  APMT_ENTRY(pmpi_##lower##__, op, blocks, number)       \
  APMT_ENTRY(pmpi_##lower, op, blocks, number)           \
  APMT_ENTRY(PMPI_##UPPER, op, blocks, number)           \
  APMT_ENTRY(ompi_##lower##_f, op, blocks, number)

APMT_SPELLINGS(waitall, WAITALL, Waitall, true, 4)
APMT_SPELLINGS(waitany, WAITANY, Waitany, true, 5)
APMT_SPELLINGS(waitsome, WAITSOME, Waitsome, true, 6)
APMT_SPELLINGS(testall, TESTALL, Testall, false, 5)
APMT_SPELLINGS(testany, TESTANY, Testany, false, 6)
APMT_SPELLINGS(testsome, TESTSOME, Testsome, false, 6)

}  // namespace apmt::shim
