#!/usr/bin/env bash
# check_library.sh FOLDER [NAME...]: checks that the libraries that are preloaded into profiled programs,
# FOLDER/libapmt-*.so, need nothing but libc, export nothing but the functions that they interpose, and load
# silently into any program. Each NAME (libapmt-NAME.so) must be there. Prints one line per violation; exit code
# 1 when there is any, 77 (skip) when there is no such library.
set -euo pipefail
shopt -s nullglob

folder=${1:?usage: check_library.sh FOLDER [NAME...]}
shift

# This is the only place that lists the dependencies of the libraries. The libraries open PAPI with dlopen if
# it is installed, and link no MPI library, because the program brings its own.
needed='^(libc\.so\.6|libm\.so\.6|ld-linux[a-z0-9_-]*\.so\.[0-9]+)$'
exported='^(P?MPI_[A-Za-z0-9_]+|apmt_[a-z0-9_]+|pthread_create|dlopen|dlclose|__sigaction|sigaction|signal)$'
exported+='|^(bsd_signal|ssignal|__sysv_signal|sysv_signal|sigset|sigignore|siginterrupt)$'
exported+='|^(pthread_sigmask|sigprocmask|sighold|sigrelse|sigblock|sigsetmask)$'
exported+='|^(p?mpi_(wait|test)(all|any|some)_{0,2}|ompi_(wait|test)(all|any|some)_f)$'
exported+='|^_gfortran_set_args$' # on a virtual cluster

violations=0
violation() {
  printf '%s: %s\n' "${library##*/}" "$1"
  violations=$((violations + 1))
}

# Prints the names of dynamic symbols, without versions. defined: exported by the library; undefined: needed by it.
dynamic_symbols() { # LIBRARY defined|undefined
  readelf --dyn-syms --wide "$1" | awk -v want="$2" '
    $1 ~ /^[0-9]+:$/ && NF >= 8 && ($5 == "GLOBAL" || $5 == "WEAK" || $5 == "UNIQUE") {
      if (($7 == "UND") == (want == "undefined")) { sub(/@.*/, "", $8); print $8 }
    }' | sort -u
}

check() {
  local name output
  for name in $(readelf --dynamic --wide "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    [[ $name =~ $needed ]] || violation "needs $name"
  done
  if readelf --dynamic --wide "$library" | grep -qE '\((RPATH|RUNPATH)\)'; then
    violation "has a run path, which an installed library must not have"
  fi
  for name in $(dynamic_symbols "$library" defined); do
    [[ $name =~ $exported ]] || violation "exports $name"
  done
  # The library must not need symbols of the C++ library, nor of an MPI library, which need not be loaded with it.
  for name in $(dynamic_symbols "$library" undefined); do
    [[ $name =~ ^(_Z|__cxa_(throw|begin_catch|guard)|__gxx_) ]] && violation "wants $name of the C++ library"
    [[ $name =~ ^(P?MPI_|ompi_|MPIR_|smpi_|sg_|simgrid_) ]] && violation "wants $name of an MPI library"
  done
  # Open MPI and UCX replace these functions, and their replacements may deadlock in a signal handler
  # (profiler/runtime/memory_map.h).
  for name in $(dynamic_symbols "$library" undefined); do
    [[ $name =~ ^(mmap|mmap64|munmap|mremap|madvise|s?brk|shmat|shmdt)$ ]] && violation "calls $name, not the kernel"
  done
  # Programs around the profiled one (shells, launchers) load the library, too; it must print nothing in them.
  output=$(LD_BIND_NOW=1 LD_PRELOAD=$library /bin/true 2>&1) || violation "makes /bin/true fail"
  [[ -z $output ]] || violation "is not silent in /bin/true: $output"
}

for name in "$@"; do
  library=$folder/libapmt-$name.so
  [[ -f $library ]] || violation "was not built"
done
libraries=("$folder"/libapmt-*.so)
if ((${#libraries[@]} == 0 && violations == 0)); then
  echo "no libapmt-*.so in $folder: nothing to check"
  exit 77
fi
for library in "${libraries[@]}"; do
  check
done
((violations == 0)) || exit 1
echo "${#libraries[@]} libraries need and export only what they should"
