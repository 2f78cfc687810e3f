#!/usr/bin/env bash
# run.sh [POLYBENCH LULESH [LEVEL]]: analyses the programs of PolyBench/C 4.2.1 (smallest data) and LULESH 2.0
# (without MPI and OpenMP; 6^3 elements, three steps), and compares the idioms found with
# tests/kernels/labels/idioms.tsv. POLYBENCH and LULESH are the folders of the sources (default: $APMT_POLYBENCH and
# $APMT_LULESH), LEVEL is the compiler's optimisation level (default: -O2).
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
polybench=${1:-${APMT_POLYBENCH:-}} lulesh=${2:-${APMT_LULESH:-}} level=${3:--O2}
if [[ -z $polybench || -z $lulesh ]]; then
  echo "SKIP: run.sh wants the folders of PolyBench/C 4.2.1 and LULESH 2.0, which do not come with apmt" >&2
  exit 0
fi
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../tests/kernels" && pwd)
apmt=$build/bin/apmt
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
analyse=("$apmt" -q analyze --with "mix,synchronisation,footprint")

score() { python3 "$tests/score_idioms.py" "$tests/labels/idioms.tsv" "$@"; }

(
  cd "$polybench"
  while read -r source; do
    name=$(basename "$source" .c)
    "$apmt" -q analyze cc "$level" -DMINI_DATASET -I utilities -I "$(dirname "$source")" utilities/polybench.c "$source" \
      -lm -o "$folder/$name" >&2
    "${analyse[@]}" -o "$folder/$name.json" -- "$folder/$name" >/dev/null
  done <utilities/benchmark_list
)
echo "PolyBench/C, $level"
score "$folder"/*.json

"$apmt" -q analyze c++ "$level" -DUSE_MPI=0 "$lulesh"/lulesh{,-comm,-init,-util,-viz}.cc -lm -o "$folder/lulesh" >&2
"${analyse[@]}" --kernel main -o "$folder/lulesh.json" -- "$folder/lulesh" -s 6 -i 3 >/dev/null
echo
echo "LULESH, $level"
score "$folder/lulesh.json"
"$(dirname "$0")/../measured.sh" -- bench/idioms/run.sh POLYBENCH LULESH "$level"
