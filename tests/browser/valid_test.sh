#!/usr/bin/env bash
# valid_test.sh SOURCES APMT PLANTED_MODEL PLANTED_OFFLOAD: checks with tidy and html5lib, whichever are installed, that
# HTML reports are valid; skipped when neither is installed. First checks that these tools find the mistakes in a broken
# page.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
has_tidy() { command -v tidy >/dev/null; }
has_html5lib() { /usr/bin/python3 -c 'import html5lib' 2>/dev/null; }
has_tidy || has_html5lib || { echo "SKIPPED: neither tidy nor python3-html5lib is installed"; exit 77; }

# HTML 5.2 permits a <div> around each group of a <dl>, but tidy 5.6 reports it as an error.
unknown_to_tidy='missing </dl> before </div>|missing </div> before <dt>|inserting implicit <dl>|missing <dd>$'

complaints() { # complaints PAGE: prints the mistakes that tidy and html5lib find
  if has_tidy; then
    tidy -errors -quiet --drop-empty-elements no "$1" 2>&1 | grep -vE "$unknown_to_tidy" || true
  fi
  if has_html5lib; then
    /usr/bin/python3 - "$1" <<'PYTHON'
import sys
import html5lib
parser = html5lib.HTMLParser()
with open(sys.argv[1], encoding="utf-8") as page:
    parser.parse(page.read())
for (line, column), error, details in parser.errors:
    print(f"line {line} column {column} - {error} {details}")
PYTHON
  fi
}

printf '<!DOCTYPE html>\n<html lang="en"><head><title>x</title></head><body><p><table><p id="a" id="a"></b></body></html>\n' >broken.html
[[ $(complaints broken.html | wc -l) -ge 3 ]] || { echo "FAILED: mistakes are not found"; exit 1; }

"$3" model.json
"$2" report model.json --html report.html 2>/dev/null
failed=0
"$4" runs
"$2" -q offload runs --device "$1/tests/kernels/cards/accelerator.yaml" --procs 64 --html offload.html >/dev/null
for page in report.html offload.html "$1/tests/golden/reports/report.html"; do
  found=$(complaints "$page")
  [[ -z $found ]] || { echo "FAILED: $page"; printf '%s\n' "$found" | head -20; failed=1; }
done
exit $failed
