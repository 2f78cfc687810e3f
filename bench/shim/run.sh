#!/usr/bin/env bash
# The table of README.md beside this file.
set -euo pipefail
cmake --build "${APMT_BUILD_DIR:?set by ./run bench}" --target bench_shim_openmpi bench_shim_mpich
