#!/usr/bin/env bash
# large_test.sh APMT LARGE_EXPERIMENT [paint]: checks that the HTML report of a thousand kernels on 1,024 ranks is
# smaller than 1.5 MB and contains all kernels. With "paint" it also checks that headless Chromium shows something of
# the page within a second.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$2" study
"$1" fit study --threshold 0.0001 >/dev/null
"$1" report study --html page.html
bytes=$(stat -c %s page.html)
kernels=$(grep -c 'class="t code"><span>application::solver::' page.html)
echo "$bytes bytes, $kernels kernels"
[[ $bytes -lt 1500000 ]] || { echo "FAILED: the page has $bytes bytes"; exit 1; }
[[ $kernels -eq 1000 ]] || { echo "FAILED: the page has $kernels kernels"; exit 1; }
grep -q '1024 processes; the strongest' page.html || { echo "FAILED: no matrix of 1,024 ranks"; exit 1; }
[[ ${3:-} == paint ]] || exit 0
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[[ -n $chromium ]] || { echo "SKIPPED: chromium is not installed"; exit 77; }
command -v node >/dev/null || { echo "SKIPPED: node is not installed"; exit 77; }
node "$here/paint.js" "$chromium" page.html 1000
