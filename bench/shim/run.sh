#!/usr/bin/env bash
# run.sh: prints the table of README.md in this folder, the cost that apmt adds to MPI calls.
set -euo pipefail
cmake --build "${APMT_BUILD_DIR:?set by ./run bench}" --target bench_shim_openmpi bench_shim_mpich
