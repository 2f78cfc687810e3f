#!/usr/bin/env bash
# run.sh: for the analysed kernels in `analyses`, ranks the 15 devices of the published times by the times that `apmt
# match` predicts, and prints the tables of README.md. If the variable OPENDWARFS names a copy of
# github.com/BeauJoh/OpenDwarfs, the script first makes the analyses again, which takes some minutes.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [[ -n ${OPENDWARFS:-} ]]; then
  cc -O1 -DELEMENTS='(1 << 22)' "$here/../aiwc/host.c" -o "$work/host" -l:libOpenCL.so.1
  python3 "$here/analyse.py" "$build/bin/apmt" "$work/host" "$OPENDWARFS" "$here/analyses" >&2
fi
python3 "$here/rank.py" "$build/bin/apmt" "$here/analyses" "$here/../../configs/learned/aiwc.csv" \
  "$here/../../configs/devices"
"$here/../measured.sh" -- bench/devices/run.sh
