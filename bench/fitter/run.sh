#!/usr/bin/env bash
# run.sh: prints the tables of accuracy and speed of README.md in this folder.
set -euo pipefail
"${APMT_BUILD_DIR:?set by ./run bench}/bin/apmt_bench_fitter" accuracy 1000 1
input=$(mktemp)
trap 'rm -f "$input"' EXIT
"$APMT_BUILD_DIR/bin/apmt_bench_fitter" speed "$input"
python3 "$(dirname "$0")/extrap_speed.py" "$input"
"$(dirname "$0")/../measured.sh" -- bench/fitter/run.sh
