#!/usr/bin/env bash
# The whole way once, on this machine: record an example at a few process counts, fit, predict, report.
# usage: demo.sh [OUTPUT_DIRECTORY]; ./run demo builds what it needs and calls it.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run demo: the folder that holds bin/apmt}")
mkdir -p "${1:-demo-run}"
cd "${1:-demo-run}"
out=$PWD
export PATH=$build/bin:$build/examples/openmpi:$PATH
if [[ $(id -u) == 0 ]]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

show() { # prints a command as one would type it, then runs it
  printf '\n$ %s\n' "$*"
  "$@"
}

# Enough process counts for a law; on a small machine some have more ranks than cores, which apmt notices.
cores=$(nproc)
procs=(1 2 4)
if ((cores >= 8)); then procs=(2 4 8); fi
target=$((procs[2] * 4))

rm -rf "$out/apmt-halo2d"
printf 'halo2d solves a heat equation on a grid. It is recorded on %s, %s and %s ranks, three times each;\n' "${procs[@]}"
printf 'then apmt is asked how long it would take on %s.\n' "$target"
for p in "${procs[@]}"; do
  for _ in 1 2 3; do
    show apmt record mpirun --oversubscribe -np "$p" halo2d 2000 400
  done
done
show apmt fit
show apmt predict --procs "$target"
show apmt report --html "$out/report.html"
printf '\nThe report is %s/report.html: open it in a browser.\n' "$out"
printf 'What was recorded and fitted is in %s/apmt-halo2d.\n' "$out"
