#!/usr/bin/env bash
# views_test.sh machine|crowded|match|offload APMT PLANTED_MODEL ANALYSED_KERNELS PLANTED_OFFLOAD: shows a page at three
# sizes in both colour schemes, and expects that nothing sticks out and that labels do not overlap. The page shows a
# machine with curves, a report on many neighbouring process counts, a comparison of devices, or a program with kernels
# on devices (this page has tables only). Skipped where Chromium or node is not installed.
# APMT_PICTURES=FOLDER keeps screenshots of the page in FOLDER.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $chromium ]] || { echo "SKIPPED: chromium is not installed"; exit 77; }
command -v node >/dev/null || { echo "SKIPPED: node is not installed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
if [[ $1 == machine ]]; then
  "$here/machine_profile.sh" >here.yaml
  cat >>here.yaml <<'CURVES'
latency_curve: [[4096, 1.6], [32768, 1.6], [131072, 4.1], [1048576, 5.2], [33554432, 30], [1073741824, 95]]
collectives:
- {op: Barrier, procs: 2, bytes: 0, time_s: [1.0e-6, 0.1]}
- {op: Barrier, procs: 3, bytes: 0, time_s: [1.4e-6, 0.1]}
- {op: Barrier, procs: 4096, bytes: 0, time_s: [2.0e-2, 0.1]}
CURVES
  "$2" calibrate --show here.yaml --html machine.html >/dev/null
  least=30
elif [[ $1 == match ]]; then
  "$4" >analysis.json
  "$2" match analysis.json --device gtx1080 --device epyc-9654 --device h100-sxm --html match.html >/dev/null
  least=10
elif [[ $1 == offload ]]; then
  "$5" runs
  "$2" -q offload runs --device "$here/../kernels/cards/accelerator.yaml" --per-node 4 --procs 4,64,1024 --speedup 1.5 \
    --html offload.html >/dev/null
  for words in "Kernels in the order of porting" "What ports must reach" "The gain is gone from about" \
    "not worth it"; do
    grep -qF "$words" offload.html || { echo "FAILED: '$words' is not on the page"; exit 1; }
  done
  least=0
else
  "$3" model.json
  "$2" report model.json --procs 4,5,6,7,8,9,12,16,17,18,60,64,1000,1024,30000,60000 --html crowded.html
  least=10
fi
node "$here/views_test.js" "$chromium" "$1.html" "$least" ${APMT_PICTURES:+"$APMT_PICTURES"}
