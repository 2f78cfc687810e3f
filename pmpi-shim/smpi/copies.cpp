// SMPI opens a copy of the program for every rank, by dlopen() with RTLD_DEEPBIND. So a copy finds
// MPI in libsimgrid before it finds a preloaded library. Therefore this file replaces dlopen(): as
// soon as a copy has been opened, its references to MPI functions are changed to the wrappers, and
// its references to chdir, fchdir and exit to the functions of directories.h and ending.h.
// (Removing RTLD_DEEPBIND would bind the copy to the wrappers, too. But then other libraries could
// replace functions of the program that have the same name as one of theirs.)

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pmpi-shim/smpi/directories.h"
#include "pmpi-shim/smpi/ending.h"
#include "profiler/runtime/environment.h"
#include "profiler/runtime/simulation.h"

namespace apmt::shim {
namespace {

struct Relocations {
  const ElfW(Rela) * begin;
  size_t bytes;
};

/// The parts of an object that list its references to other objects.
struct Dynamic {
  const ElfW(Sym) * symbols;
  const char* names;
  Relocations plt;
  Relocations data;
};

Dynamic dynamic_of(const link_map& object) {
  Dynamic d = {};
  for (const ElfW(Dyn)* entry = object.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const ElfW(Addr) address = entry->d_un.d_ptr;  // the loader has relocated it
    switch (entry->d_tag) {
      case DT_SYMTAB:
        d.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        break;
      case DT_STRTAB:
        d.names = reinterpret_cast<const char*>(address);
        break;
      case DT_JMPREL:
        d.plt.begin = reinterpret_cast<const ElfW(Rela)*>(address);
        break;
      case DT_PLTRELSZ:
        d.plt.bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        d.data.begin = reinterpret_cast<const ElfW(Rela)*>(address);
        break;
      case DT_RELASZ:
        d.data.bytes = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return d;
}

const void* our_base() {
  Dl_info self;
  return dladdr(reinterpret_cast<void*>(our_base), &self) != 0 ? self.dli_fbase : nullptr;
}

/// The function of this library that replaces the function `name` in the program's copies; nullptr
/// if there is none.
void* ours(const char* name) {
  if (void* const function = directory_function(name)) return function;
  if (void* const function = ending_function(name)) return function;
  if (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "PMPI_", 5) != 0) return nullptr;
  void* const found = dlsym(RTLD_DEFAULT, name);
  Dl_info info;
  if (found == nullptr || dladdr(found, &info) == 0 || info.dli_fbase != our_base()) return nullptr;
  return found;
}

/// Writes a slot whose memory the loader may have made read-only after relocation.
void write_slot(void** slot, void* value) {
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(slot) / page * page;
  if (mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) == 0) *slot = value;
}

void turn(const link_map& object, const Dynamic& d, const Relocations& relocations) {
  for (size_t i = 0; i < relocations.bytes / sizeof(ElfW(Rela)); ++i) {
    const ElfW(Rela)& relocation = relocations.begin[i];
    const size_t symbol = ELF64_R_SYM(relocation.r_info);
    if (symbol == 0) continue;
    if (void* const function = ours(d.names + d.symbols[symbol].st_name))
      write_slot(reinterpret_cast<void**>(object.l_addr + relocation.r_offset), function);
  }
}

bool is_copy(const char* path, int flags) {
  const size_t length = path == nullptr ? 0 : strlen(path);
  return (flags & RTLD_DEEPBIND) != 0 && length > 3 && strcmp(path + length - 3, ".so") == 0;
}

/// Redirects the references of the object itself and of the libraries loaded with it.
void turn_all_from(void* handle) {
  const link_map* first = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &first) != 0) return;
  for (const link_map* object = first; object != nullptr; object = object->l_next) {
    const Dynamic d = dynamic_of(*object);
    if (d.symbols == nullptr || d.names == nullptr) continue;
    turn(*object, d, d.plt);
    turn(*object, d, d.data);
  }
}

/// Notes the path of Fortran's runtime library, which SMPI will copy for each rank. SMPI first
/// opens it once, to find that path.
void note_library(const char* name, void* handle) {
  const link_map* object = nullptr;
  if (name == nullptr || strncmp(name, "libgfortran.so", 14) != 0) return;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &object) == 0) rt::note_copied_library(object->l_name);
}

using SetArguments = void (*)(int, char**);

struct {
  int count;
  char** values;
} g_fortran_arguments;

/// Gives the program's arguments to a rank's copy of Fortran's runtime library.
void pass_arguments(void* program) {
  const auto set = reinterpret_cast<SetArguments>(dlsym(program, "_gfortran_set_args"));
  if (set != nullptr && g_fortran_arguments.values != nullptr)
    set(g_fortran_arguments.count, g_fortran_arguments.values);
}

/// `apmt run` sets TMPDIR to a folder that SMPI uses for the copies. The program must find the
/// user's value of TMPDIR.
void restore_temporary_folder() {
  const char* const users = rt::env("APMT_TMPDIR");
  if (users == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", users, 1);
  unsetenv("APMT_TMPDIR");
}

}  // namespace
}  // namespace apmt::shim

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* path, int flags) {
  using Dlopen = void* (*)(const char*, int);
  static const Dlopen real = reinterpret_cast<Dlopen>(dlsym(RTLD_NEXT, "dlopen"));
  if (getenv("APMT_TMPDIR") != nullptr && apmt::shim::is_copy(path, flags))
    apmt::shim::restore_temporary_folder();
  void* const handle = real(path, flags);
  if (handle == nullptr) return handle;
  const int saved_errno = errno;
  apmt::shim::note_library(path, handle);
  if (!apmt::shim::is_copy(path, flags)) return handle;
  apmt::shim::turn_all_from(handle);
  apmt::shim::pass_arguments(handle);
  errno = saved_errno;
  return handle;
}

/// SMPI gives the program's arguments to the Fortran library that it has loaded itself, before it
/// opens the copies for the ranks.
extern "C" __attribute__((visibility("default"))) void _gfortran_set_args(int argc, char** argv) {
  apmt::shim::g_fortran_arguments = {argc, argv};
  static const auto real =
      reinterpret_cast<apmt::shim::SetArguments>(dlsym(RTLD_NEXT, "_gfortran_set_args"));
  if (real != nullptr) real(argc, argv);
}
