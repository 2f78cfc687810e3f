#!/usr/bin/env bash
# run.sh [BYTES [FOLDER]]: makes a card (a file of measured properties) of the processors and of OpenCL device 0 (PoCL),
# if there is one. Then compares predictions from these cards with measurements that the cards do not contain: idioms at
# other sizes up to BYTES (default 256 MB), loops, and a loop that two unequal processors share. Writes the cards to
# FOLDER, if it is given; the cards that apmt comes with are in configs/devices. Takes some minutes; run nothing else
# meanwhile.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
largest=${1:-256e6}
keep=${2:+$(readlink -f "$2")}
cmake --build "$build" --target apmt_check_devices >/dev/null
apmt=$build/bin/apmt check=$build/bin/apmt_check_devices
work=$(mktemp -d)
load=
trap 'rm -rf "$work"; [[ -z $load ]] || kill "$load"' EXIT
cd "$work"

# What a good port would have: threads that stay on their processors, spin while they wait, and large pages.
export OMP_PROC_BIND=true OMP_WAIT_POLICY=active POCL_AFFINITY=1 GLIBC_TUNABLES=glibc.malloc.hugetlb=1
gcc -O3 -march=native -fopenmp "$here/kernels.c" -o kernels
"$apmt" -q analyze cc -O2 "$here/kernels.c" -o kernels-analyse >&2
gcc -O1 "$here/launches.c" -o launches -l:libOpenCL.so.1

for device in cpu opencl; do
  if ! "$apmt" -q calibrate --device $device --largest-bytes "$largest" -o $device.yaml >/dev/null; then
    echo "There is no $device device."
    continue
  fi
  [[ -z $keep ]] || cp $device.yaml "$keep/this-machine-$device.yaml"
  echo -e "\nBandwidth of idioms, device $device\n"
  "$check" idioms $device.yaml $device "$largest"
  echo -e "\nLoops, device $device\n"
  if [[ $device == cpu ]]; then
    python3 "$here/kernels.py" "$apmt" cpu.yaml cpu ./kernels "$work/kernels-analyse"
  elif command -v oclgrind >/dev/null; then
    launches="$work/launches $here/kernels.cl"
    python3 "$here/kernels.py" "$apmt" opencl.yaml opencl "$launches" "$launches"
  else
    echo "skipped: needs oclgrind"
  fi
done

echo -e "\nA loop shared by a free processor and one on which another program runs\n"
mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
  while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done)
if ((${#cpus[@]} < 2)); then
  echo "skipped: needs two processors"
else
  gcc -O3 -march=native -fopenmp -pthread "$here/split.c" -o split
  "$apmt" -q analyze cc -O2 -pthread "$here/split.c" -o split-analyse >&2
  "$apmt" -q analyze --kernel attract --with mix,parallelism,all-operations,stack-distances,synchronisation \
    -o split.json -- ./split-analyse >/dev/null
  taskset -c "${cpus[0]}" "$apmt" -q calibrate --device cpu --largest-bytes 1e6 -o free.yaml >/dev/null
  taskset -c "${cpus[1]}" bash -c 'while :; do :; done' &
  load=$!
  taskset -c "${cpus[1]}" "$apmt" -q calibrate --device cpu --largest-bytes 1e6 -o loaded.yaml >/dev/null
  share=$("$apmt" -q match split.json --device free.yaml --device loaded.yaml --json | python3 -c '
import json, sys
print(next(p["share"] for p in json.load(sys.stdin)["kernels"][0]["predictions"] if p["device"] == "free"))')
  ./split "$share" "${cpus[0]}" "${cpus[1]}"
fi
"$here/../measured.sh" -- bench/this_machine/run.sh "$largest"
