#!/usr/bin/env bash
# run.sh [DIR]: compares the bounds that apmt states for five kernels with their known bounds, on this machine and
# without hardware counters (grade B). Prints the table of README.md and keeps the runs in DIR.
set -euo pipefail
build=${APMT_BUILD_DIR:?set by ./run bench}
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$(mktemp -d)}
export PATH=$build/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
compiler=mpicc.openmpi launcher="mpirun.openmpi -np {p}" family=openmpi
command -v "$compiler" >/dev/null || compiler=mpicc.mpich launcher="mpiexec.mpich -n {p}" family=mpich
mkdir -p "$work"
[[ -e $work/kinds ]] || "$compiler" -O2 -g "$here/kinds.c" -o "$work/kinds"
[[ -e $work/machine.yaml ]] || apmt -qq calibrate -o "$work/machine.yaml" >/dev/null
poisson=$build/examples/$family/cg-poisson

# record NAME "SIZES" COMMAND...: makes the runs of all SIZES and simulates their memory accesses.
record() {
  local dir=$work/$1 sizes=$2 && shift 2
  [[ ! -e $dir/simulated.$sizes ]] || return 0
  # shellcheck disable=SC2086  # words of a command
  apmt -qq run --procs 1,2 --reps 2 --set "size=$sizes" --any-command -d "$dir" -- $launcher "$@" </dev/null >/dev/null
  apmt -qq simulate "$dir" --prefetcher --machine "$work/machine.yaml" </dev/null
  touch "$dir/simulated.$sizes"
}

# judge NAME VERDICT KERNEL SIZE: prints the known bound (VERDICT), and the bound that apmt states for KERNEL at one
# process and SIZE. The model is fitted to all runs.
judge() {
  local name=$1 verdict=$2 kernel=$3 size=$4
  local dir=$work/$name
  apmt -qq fit "$dir" --machine "$work/machine.yaml" >"$dir/fit.txt"
  apmt -qq predict "$dir/model.json" --procs 1 --set "size=$size" --json >"$dir/prediction.json"
  python3 - "$name" "$verdict" "$kernel" "$dir/prediction.json" <<'END'
import json, sys
name, verdict, wanted, file = sys.argv[1:]
prediction = json.load(open(file))
kernel = next(k for k in prediction["kernels"] if wanted in k["name"])
low, high = kernel["mem_interval_s"] or (0, 0)
time = kernel["time_s"]
print(f"| {name} | {wanted} | {verdict} | {kernel['bound']} | {100 * (kernel['bound_probability'] or 0):.0f} % "
      f"| {100 * (kernel['mem_s'] or 0) / time:.0f} % ({100 * low / time:.0f} to {100 * high / time:.0f}) |")
END
}

# cg_bound: prints the known bound of spmv in the large problem (memory if spmv waits for memory in more than half of
# its time), and the share of this waiting. The share is calculated from spmv's time per instruction in this problem and
# in the small problem, which fits into a core's cache.
cg_bound() {
  python3 - "$work"/cg-large/*.p1.size1024.r1/profile.json "$work"/cg-small/*.p1.size48.r1/profile.json <<'END'
import json, sys
pace = []
for file in sys.argv[1:]:
    counters = next(k for k in json.load(open(file))["kernels"] if "spmv" in k["name"])["counters"]
    pace.append(counters["cpu_s"]["total"] / counters["instructions"]["total"])
share = 1 - pace[1] / pace[0]
print(f"{'memory' if share > 0.5 else 'compute'} ({100 * share:.0f} % of the time is waiting for memory)")
END
}

echo "| program | kernel | known | said | with | share of memory |"
echo "|---|---|---|---|---:|---|"
record chase 262144,64 "$work/kinds" chase "{size}" 60
judge chase memory chase 262144
record triad 1048576,96 "$work/kinds" triad "{size}" 60
judge triad memory triad 1048576
record product 192,384 "$work/kinds" product "{size}" 60
judge product compute product 384
record cg-small 48,32 "$poisson" "{size}" 20000
judge cg-small compute spmv 48
# The small problem gets more iterations, so that it takes as long as the large one, and has as many samples.
record cg-large 1024 "$poisson" "{size}" 600
record cg-large 64 "$poisson" "{size}" 153600
judge cg-large "$(cg_bound)" spmv 1024
"$here/../measured.sh" "$family" -- ./run bench verdicts
