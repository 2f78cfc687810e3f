#!/usr/bin/env bash
# page_test.sh golden|recorded|planted SOURCES APMT EXAMPLES PLANTED_MODEL ANALYSED_KERNELS: tests an HTML report in
# headless Chromium: the golden file, the report of a recorded run, or that of PLANTED_MODEL (a model whose laws are
# known), which also shows the output of ANALYSED_KERNELS. Skipped if Chromium or node is not installed.
# APMT_PICTURES=FOLDER keeps screenshots of the page in FOLDER.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $chromium ]] || { echo "SKIPPED: chromium is not installed"; exit 77; }
command -v node >/dev/null || { echo "SKIPPED: node is not installed"; exit 77; }
folder=$(mktemp -d)
trap '"$here/../keep_json.sh" "$folder"; rm -rf "$folder"' EXIT
if [[ $1 == golden ]]; then
  page=$2/tests/golden/reports/report.html
elif [[ $1 == planted ]]; then
  page=$folder/report.html
  cd "$folder"
  "$5" model.json
  "$here/machine_profile.sh" >here.yaml
  "$6" >analysis.json
  "$3" report model.json --profiled-on here.yaml --analysis analysis.json --html "$page"
  while read -r procs latency bandwidth frequency memory transfer; do
    "$3" predict model.json --profiled-on here.yaml --procs "$procs" --latency "x$latency" --json \
      --bandwidth "x$bandwidth" --frequency "x$frequency" --mem-latency "x$memory" \
      --mem-bandwidth "x$transfer" >answer.json
    printf '%s {"latency": %s, "bandwidth": %s, "frequency": %s, "memory latency": %s, "memory bandwidth": %s} ' \
      "$procs" "$latency" "$bandwidth" "$frequency" "$memory" "$transfer"
    tr '\n' ' ' <answer.json
    echo
  done >what-ifs <<'KNOBS'
128 0.5 4 1.25 0.8 1
16 2 0.25 0.8 1.5 0.7
1000 0.1 1 1 1 1
32 1 8 1 1 1
4 1 1 2 1 1
64 1 1 1 3 1
64 1 1 1 1 0.2
KNOBS
else
  program=$4/openmpi/halo2d
  [[ -x $program ]] || { echo "SKIPPED: no Open MPI"; exit 77; }
  cd "$folder"
  "$3" run --procs 1,2,4 --reps 1 -d study -- mpirun.openmpi -np '{p}' "$program" 300 60
  page=$folder/report.html
  "$3" report study --html "$page"
fi
node "$here/page_test.js" "$chromium" "$page" "$1" ${APMT_PICTURES:+"$APMT_PICTURES"}
