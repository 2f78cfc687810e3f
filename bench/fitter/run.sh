#!/usr/bin/env bash
# The tables of README.md beside this file.
set -euo pipefail
"${APMT_BUILD_DIR:?set by ./run bench}/bin/apmt_bench_fitter" accuracy 1000 1
"$APMT_BUILD_DIR/bin/apmt_bench_fitter" speed
