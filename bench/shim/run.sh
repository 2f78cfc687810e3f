#!/usr/bin/env bash
# Makes the table of README.md in this folder.
set -euo pipefail
cmake --build "${APMT_BUILD_DIR:?set by ./run bench}" --target bench_shim_openmpi bench_shim_mpich
