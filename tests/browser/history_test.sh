#!/usr/bin/env bash
# history_test.sh APMT: makes twelve versions of a program; from the seventh on, one kernel is slower. Expects `apmt
# history --fail` to name this kernel and to exit with 4. Opens the page in headless Chromium, if that is installed.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
trap '"$here/../keep_json.sh" "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
paths=()
for version in {1..12}; do
  noise=$((version * 5 % 7))
  sweep=$((version < 7 ? 6000 : 8000))
  for repetition in 1 2 3; do
    wobble=$((noise + repetition))
    printf '{"params": {"p": 8}, "callpath": "main->%s", "metric": "time", "value": %d.%d}\n' \
      sweep "$((sweep + wobble))" 5 pack "$((3000 + 9 - wobble))" 5
  done >"v$version.jsonl"
  "$1" -q import "v$version.jsonl" --dir "history/v$version/apmt-solver" --program solver
  paths+=("history/v$version/apmt-solver")
done
code=0
"$1" history "${paths[@]}" --html page.html --fail 2>messages || code=$?
cat messages
((code == 4)) || { echo "FAILED: exit code $code, not 4"; exit 1; }
grep -q 'slower: main->sweep, 8 processes, by 33 % since version v7' messages || { echo "FAILED: no reason"; exit 1; }
"$1" history "${paths[@]:0:7}" --fail >/dev/null || { echo "FAILED: too few versions to tell"; exit 1; }
# A warning that all experiments share must appear only once.
"$1" history "${paths[@]}" --json >report.json
python3 - <<'PYTHON'
import json
warnings = json.load(open("report.json"))["warnings"]
print("\n".join(warnings))
assert len(warnings) == len({"".join(c for c in w if not c.isdigit()) for w in warnings}), "repeated"
PYTHON
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $chromium ]] || { echo "SKIPPED: chromium is not installed"; exit 77; }
command -v node >/dev/null || { echo "SKIPPED: node is not installed"; exit 77; }
node "$here/history_page_test.js" "$chromium" page.html
