#!/usr/bin/env bash
# run.sh [SECONDS [STORE]]: measures how many predictions `apmt serve` can answer, whether it keeps up with 20 pushes a
# second, and how long its pages take with 1,000 applications and 100,000 runs (README.md). SECONDS is the length of each
# load (default 15); STORE is sqlite (default) or postgresql. Needs wrk.
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
command -v wrk >/dev/null || { echo "skipped: wrk is not installed (apt-get install wrk)" && exit 0; }
"$build/bin/apmt" --version | grep -q '^features:.*apmt serve' ||
  { echo "skipped: this build of apmt has no service (docs/service.md)" && exit 0; }
[[ -x $build/bin/planted_runs ]] || cmake --build "$build" --target planted_runs >/dev/null
python3 -B "$here/load.py" "$build/bin/apmt" "$build/bin/planted_runs" "${1:-15}" "${2:-sqlite}"
"$here/../measured.sh" -- bench/service/run.sh "$@"
