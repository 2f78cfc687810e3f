#!/usr/bin/env bash
# run.sh [REPETITIONS]: prints how many nanoseconds each analyser takes per word of the event stream (a word is an
# entered block or an address), on four small kernels; medians of REPETITIONS (default 9).
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
"$(dirname "$0")/../measured.sh" -- bench/kernels/run.sh "$repetitions"
