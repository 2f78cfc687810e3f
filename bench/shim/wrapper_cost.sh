#!/bin/sh
# wrapper_cost.sh LIBRARY PROGRAM [LAUNCHER...]: nanoseconds per MPI call without and with the library.
set -eu
library=$1 program=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 APMT_DIR="$work/recorded" APMT_QUIET=1
"$@" "$program" > "$work/without"
"$@" env LD_PRELOAD="$library" "$program" > "$work/with"
printf '%-24s %12s %12s %12s\n' 'ns per call' without with added
paste "$work/without" "$work/with" |
  while read -r name without _ with; do
    echo "$name $without $with" | awk '{printf "%-24s %12.1f %12.1f %12.1f\n", $1, $2, $3, $3 - $2}'
  done
