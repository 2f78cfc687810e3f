#!/usr/bin/env bash
# run.sh: prints the tables of README.md in this folder.
set -euo pipefail
build=${APMT_BUILD_DIR:?set by ./run bench}
cmake --build "$build" --target apmt_bench_refine >&2
"$build/bin/apmt_bench_refine" 200
"$(dirname "$0")/../measured.sh" -- bench/refine/run.sh
