#!/bin/sh
# wrapper_cost.sh LIBRARY PROGRAM LAUNCHER: prints the nanoseconds per MPI call without and with the preloaded
# LIBRARY.
set -eu
library=$1 program=$2 launcher=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 APMT_DIR="$work/recorded" APMT_QUIET=1

compare() { # TITLE RANKS [ARGUMENT]
  title=$1 ranks=$2
  shift 2
  "$launcher" -np "$ranks" "$program" "$@" > "$work/without"
  "$launcher" -np "$ranks" env LD_PRELOAD="$library" "$program" "$@" > "$work/with"
  printf '%-24s %12s %12s %12s\n' "$title" without with added
  paste "$work/without" "$work/with" |
    awk '{printf "%-24s %12.1f %12.1f %12.1f\n", $1, $2, $4, $4 - $2}'
}

compare 'ns per call' 1
compare 'with threads' 1 multiple
compare 'two ranks' 2
case $library in *mpich*) family=mpich ;; *) family=openmpi ;; esac
"$(dirname "$0")/../measured.sh" "$family" -- cmake --build DIR --target "bench_shim_$family"
