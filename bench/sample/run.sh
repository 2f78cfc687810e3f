#!/usr/bin/env bash
# run.sh [RUNS]: prints the cost of one sample on this machine for each source of samples, as the recorder measures it:
# the time that the kernel takes to deliver the signal and to return (task clock: only the time to write a record), the
# time of apmt's signal handler as measured at the start, and the handler's mean time over all its calls in the run.
# Prints medians of RUNS runs (default 9) of an example. The example's two ranks share a core, because a thread uses a
# task clock only if it sleeps or shares its core with another thread.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
runs=${1:-9}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

core=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
echo '| source | interval (ms) | delivery (us) | handler (us) | handler in the run (us) |'
echo '|---|---:|---:|---:|---:|'
for source in posix-timer task-clock hardware; do
  for ((i = 0; i < runs; ++i)); do
    "$build/bin/apmt" -qq record --source "$source" -d "$work/$source" -- \
      taskset -c "$core" mpirun --bind-to none --oversubscribe -np 2 "$build/examples/openmpi/halo2d" 1000 300 >"$work/output" 2>&1 ||
      { cat "$work/output" >&2 && exit 1; }
  done
  "$build/bin/apmt" info --json "$work/$source" | python3 -c '
import json, statistics, sys
source, runs = sys.argv[1], json.load(sys.stdin)
costs = [run["own_cost"] for run in runs if run["sampling"]["source"] == source]
if not costs:
    print(f"| {source} | not here | | | |")
    sys.exit()
if source == "task-clock":
    known = [cost["task_clock_s"] for cost in costs if cost["task_clock_s"] is not None]
    print(f"| {source} | - | {statistics.median(known) * 1e6:.2f} | - | - |" if known else f"| {source} | no thread used one | | | |")
    sys.exit()
def median_us(name):
    known = [cost[name] for cost in costs if cost[name] is not None]
    return f"{statistics.median(known) * 1e6:.2f}" if known else "-"
interval = statistics.median(run["sampling"]["interval_s"] for run in runs) * 1e3
row = [f"{interval:.1f}" if interval else "by cycles", *map(median_us, ("delivery_s", "handler_s", "handler_in_run_s"))]
print(f"| {source} |", " | ".join(row), "|")' "$source"
done
"$(dirname "$0")/../measured.sh" openmpi -- bench/sample/run.sh "$runs"
