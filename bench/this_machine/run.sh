#!/usr/bin/env bash
# run.sh [BYTES]: measures cards of the processors and of OpenCL device 0 (PoCL), if there is one, and compares what they
# predict with measurements that they do not contain: idioms at other sizes up to BYTES (default 256 MB), loops, and a
# loop that is shared by two unequal cores. Takes ten minutes; run nothing else meanwhile.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
largest=${1:-256e6}
cmake --build "$build" --target apmt_check_devices >/dev/null
apmt=$build/bin/apmt check=$build/bin/apmt_check_devices
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for device in cpu opencl; do
  if ! "$apmt" -q calibrate --device $device --largest-bytes "$largest" -o $device.yaml >/dev/null; then
    echo "There is no $device device."
    continue
  fi
  echo
  echo "Bandwidth of idioms, \`--device $device\`"
  echo
  "$check" idioms $device.yaml $device "$largest"
done

echo
echo "Loops on all processors"
echo
gcc -O3 -march=native -fopenmp "$here/kernels.c" -o kernels
"$apmt" -q analyze cc -O2 "$here/kernels.c" -o kernels-analyse >&2
python3 "$here/kernels.py" "$apmt" "$work/kernels" "$work/kernels-analyse" cpu.yaml

echo
echo "A loop shared by a free core and one on which another thread runs"
echo
"$check" split
"$here/../measured.sh" -- bench/this_machine/run.sh "$largest"
