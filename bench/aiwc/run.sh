#!/usr/bin/env bash
# run.sh: compares the metrics that `apmt analyze --opencl --with aiwc-compat` finds for kernels of the Extended
# OpenDwarfs with the vectors that the authors of AIWC published. The variable OPENDWARFS names a copy of
# github.com/BeauJoh/OpenDwarfs. Prints a Markdown table.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
if [[ -z ${OPENDWARFS:-} ]] || ! command -v oclgrind >/dev/null; then
  echo "skipped: set OPENDWARFS to a copy of github.com/BeauJoh/OpenDwarfs, and install oclgrind and ocl-icd-libopencl1"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O1 "$here/host.c" -o "$work/host" -l:libOpenCL.so.1
python3 "$here/compare.py" "$build/bin/apmt" "$work/host" "$OPENDWARFS" "$here/../../configs/learned/aiwc.csv" "$here/README.md"
"$here/../measured.sh" -- bench/aiwc/run.sh
