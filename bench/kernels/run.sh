#!/usr/bin/env bash
# run.sh [REPETITIONS]: prints how many nanoseconds each kernel analyser takes per word of the event stream (a
# word is the entry of a block, or an address), on four small kernels; medians of REPETITIONS (default 9). If
# clang-19 is installed, also prints by which factor apmt analyze slows down the kernels of
# tests/kernels/suite.c (cost.py).
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
repetitions=${1:-9}
cmake --build "$build" --target apmt_bench_kernels >&2
program=$(find "$build" -name apmt_bench_kernels -type f -perm -u+x | head -1)
"$program" --benchmark_repetitions="$repetitions" --benchmark_report_aggregates_only=true --benchmark_min_time=0.05 \
  --benchmark_format=json 2>/dev/null | python3 -c '
import json, sys
table, kernels = {}, []
for run in json.load(sys.stdin)["benchmarks"]:
    if run["aggregate_name"] != "median":
        continue
    analyser, kernel = run["run_name"].rsplit("/", 1)
    if kernel not in kernels:
        kernels.append(kernel)
    table.setdefault(analyser, {})[kernel] = run["ns_per_word"]
print("| analyser | " + " | ".join(kernels) + " |")
print("|---|" + "---:|" * len(kernels))
for analyser, costs in table.items():
    print(f"| {analyser} | " + " | ".join(f"{costs[k]:.1f}" for k in kernels) + " |")
'
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
if command -v clang-19 >/dev/null; then
  cmake --build "$build" --target apmt apmt-kernels-pass apmt-kernels >&2
  echo
  python3 "$here/cost.py" "$build/bin/apmt" "$here/../.."
fi
"$here/../measured.sh" -- bench/kernels/run.sh "$repetitions"
