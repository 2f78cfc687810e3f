#!/usr/bin/env bash
# run.sh [TIMES]: repeats the steps of ./run demo TIMES times (default 10), with other sizes: small runs of halo2d
# on a virtual cluster, the prediction for 256 nodes, and the run there. Communication is simulated and computation
# is real, so runs differ by the noise of this machine. Prints a line for each repetition, and how often the 80 %
# interval contains the measured time. Needs jq.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
export PATH=$build/bin:$build/examples/smpi:$PATH
measured=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../measured.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '| predicted | 80 % interval | measured | error | inside |'
echo '|---:|---:|---:|---:|---|'
for ((i = 0; i < ${1:-10}; ++i)); do
  apmt -qq run --virtual ethernet-10g --procs 4,16,64 --dir small -- halo2d 2001 200
  apmt -qq run --virtual ethernet-10g --procs 256 --reps 1 --dir large -- halo2d 2001 200
  apmt validate large --model small --json >"$i.json"
  jq -r 'def ms: . * 1e4 | round / 10; .[0].whole |
    "| \(.predicted_s | ms) ms | \(.low_s | ms) to \(.high_s | ms) ms | \(.measured_s | ms) ms | \(.error * 1000 | round / 10) % | \(if .covered then "yes" else "no" end) |"' "$i.json"
  rm -rf small large
done
jq -rs '[.[][0].whole] | "\nInside: \(map(select(.covered)) | length) of \(length). Mean error: \((map(.error | fabs) | add) / length * 1000 | round / 10) %."' ./*.json
"$measured" simgrid -- bench/virtual/run.sh "${1:-10}"
