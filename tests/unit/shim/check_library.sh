#!/bin/sh
# check_library.sh LIBRARY TABLE_NAMES|none: a preloaded library must depend only on the C library. It must export every
# wrapped function of the table (unless `none` is given), and nothing but functions of MPI and those that the runtime
# interposes.
set -eu
library=$1 table=$2
failed=0
export LC_ALL=C
for needed in $(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
  case $needed in
    libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux*) ;;
    *) echo "needs $needed"; failed=1 ;;
  esac
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$library" | awk '{print $3}' | sort > "$work/exported"
interposed='pthread_create|dlopen|dlclose|__sigaction|sigaction|signal|bsd_signal|ssignal|__sysv_signal|sysv_signal'
interposed="$interposed|sigset|sigignore|siginterrupt|_gfortran_set_args"
interposed="$interposed|pthread_sigmask|sigprocmask|sighold|sigrelse|sigblock|sigsetmask"
fortran='p?mpi_(wait|test)(all|any|some)_{0,2}|ompi_(wait|test)(all|any|some)_f' # Open MPI's bindings
others=$(grep -vE "^(P?MPI_[A-Za-z0-9_]+|$interposed|$fortran)\$" "$work/exported" || true)
if [ -n "$others" ]; then
  echo "exports beside MPI: $others"
  failed=1
fi
undefined=$(nm -D --undefined-only "$library" | awk '{print $2}' | grep -E '^P?MPI_|^ompi_|^MPIR|^_Z|^__cxa_(throw|begin)|^__gxx' || true)
if [ -n "$undefined" ]; then
  echo "wants from others: $undefined"
  failed=1
fi
if [ "$table" != none ]; then
  "$table" | awk '$1 == "wrapped" {print $2; print "P" $2}' | sort > "$work/wanted"
  if ! comm -23 "$work/wanted" "$work/exported" > "$work/missing" || [ -s "$work/missing" ]; then
    echo "does not export:"
    cat "$work/missing"
    failed=1
  fi
fi
exit $failed
