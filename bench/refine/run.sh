#!/usr/bin/env bash
# The table of README.md beside this file.
set -euo pipefail
build=${APMT_BUILD_DIR:?set by ./run bench}
cmake --build "$build" --target apmt_bench_refine >&2
"$build/bin/apmt_bench_refine" 200
