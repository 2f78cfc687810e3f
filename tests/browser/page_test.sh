#!/usr/bin/env bash
# page_test.sh golden|recorded SOURCES APMT EXAMPLES: a report in headless Chromium; skipped where that or node
# is not installed. APMT_PICTURES=FOLDER keeps what was seen, for looking at.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $chromium ]] || { echo "SKIPPED: chromium is not installed"; exit 77; }
command -v node >/dev/null || { echo "SKIPPED: node is not installed"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if [[ $1 == golden ]]; then
  page=$2/tests/golden/reports/report.html
else
  program=$4/openmpi/halo2d
  [[ -x $program ]] || { echo "SKIPPED: no Open MPI"; exit 77; }
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  cd "$folder"
  "$3" run --procs 1,2,4 --reps 1 -d study -- mpirun.openmpi --oversubscribe -np '{p}' "$program" 300 60
  page=$folder/report.html
  "$3" report study --html "$page"
fi
node "$here/page_test.js" "$chromium" "$page" "$1" ${APMT_PICTURES:+"$APMT_PICTURES"}
