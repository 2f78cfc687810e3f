#!/usr/bin/env bash
# ahead.sh [DIR]: predicts two kernels whose data fit into the caches only on more processes than were profiled, with
# and without apmt simulate --ahead. Prints the table of AHEAD.md and keeps the runs in DIR.
set -euo pipefail
build=${APMT_BUILD_DIR:?the folder that holds bin/apmt}
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$(mktemp -d)}
export PATH=$build/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
program=("$work/fits" 2000000 12)
mkdir -p "$work"
[[ -e $work/fits ]] || mpicc.openmpi -O2 -g "$here/fits.c" -o "$work/fits"

record() { # DIRECTORY PROCS REPETITIONS
  [[ -e $work/$1 ]] || apmt -qq run --procs "$2" --reps "$3" -d "$work/$1" -- mpirun.openmpi --oversubscribe \
    -np {p} "${program[@]}" </dev/null >/dev/null
}

validate() { # DIRECTORY: predicts the larger runs from the runs in it
  apmt -qq fit "$work/$1" >/dev/null
  apmt -qq validate "$work/larger" --model "$work/$1" --json >"$work/$1.json"
}

record runs 1,2,4 3
record larger 8,16,32 1
[[ -e $work/without ]] || { apmt -qq simulate "$work/runs" --prefetcher --sample-iterations 2 && cp -r "$work/runs" "$work/without"; }
apmt -qq simulate "$work/runs" --prefetcher --sample-iterations 2 --ahead 32
validate without
validate runs
python3 - "$work/without.json" "$work/runs.json" <<'END'
import json, sys

def kernels(file):
    points = json.load(open(file))
    return {(k["name"], p["procs"]): k for p in points for k in p["kernels"]}

without, ahead = map(kernels, sys.argv[1:])
print("| kernel | at | measured | without `--ahead` | inside | with `--ahead 32` | inside |\n|---|---:|---:|---:|---|---:|---|")
for name, procs in sorted(ahead):
    if name not in ("walk", "smooth"):
        continue
    cells = [name, str(procs), f"{1000 * ahead[name, procs]['measured_s']:.1f} ms"]
    for model in (without, ahead):
        k = model[name, procs]
        cells += [f"{100 * (k['predicted_s'] / k['measured_s'] - 1):+.0f} %",
                  "yes" if k["low_s"] <= k["measured_s"] <= k["high_s"] else "no"]
    print("| " + " | ".join(cells) + " |")
END
