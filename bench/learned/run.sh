#!/usr/bin/env bash
# run.sh [FOLDER]: validates every combination of question, split, learner and baseline of README.md on the data
# that come with apmt. Writes table.csv into FOLDER (default: this folder) and prints the summary that README.md shows.
# Takes three to ten minutes on two cores.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
apmt=${APMT_BUILD_DIR:-$here/../../build/release}/bin/apmt
folder=${1:-$here}
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT

splits=one-application,two-applications,one-run
for best in i7-6700k,gtx1080,fiji-furyx i7-6700k,k20c,firepro-s9150; do
  "$apmt" -q learn validate --device gtx1080 --best "$best" --split $splits --threshold 1 --json >>"$lines"
done
"$apmt" -q learn validate --threshold 1,2,3,4,5 --times --split $splits --json >>"$lines"
python3 "$here/summary.py" "$lines" "$folder/table.csv"
"$here/../measured.sh" -- bench/learned/run.sh
