#!/usr/bin/env bash
# other_machines.sh: trains the learners (except the SVM) on the shipped data with several builds: with another compiler
# and other options, with a mathematics library whose results differ in the last bits, and for an emulated aarch64
# processor. All must give the same models and scores, byte for byte, and the forest must be the shipped model. A build
# whose compiler or emulator is missing is skipped.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
data=$root/configs/learned/aiwc.csv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# One file includes all sources, except those that need kernel analyses: training does not use them.
for source in tests/learned/train_all.cpp base/{atomic_file,checked_json,format_json,json_fields}.cpp "$root"/devices/learned/*.cpp; do
  case $source in
    */advice.cpp | */aiwc_features.cpp | */collect.cpp | */comparison.cpp | */data_checks.cpp) continue ;;
  esac
  echo "#include \"${source#"$root"/}\""
done >"$work/all.cpp"
json=$(g++ -x c++ -M - <<<'#include <nlohmann/json.hpp>' | grep -o '/[^ ]*nlohmann/json.hpp')
mkdir "$work/include" && ln -s "$(dirname "$json")" "$work/include/nlohmann" # for the cross compiler

models() { # models NAME EMULATOR COMPILER OPTION...
  local name=$1 emulator=$2 needed
  for needed in $emulator "$3"; do
    command -v "$needed" >/dev/null || { echo "SKIP: $name: there is no $needed" && return; }
  done
  "${@:3}" -std=c++20 -w -ffp-contract=off -I "$root" -isystem "$work/include" -pthread -o "$work/train_all" "$work/all.cpp"
  $emulator "$work/train_all" "$data" "$work/$name"
  [[ $name != reference ]] || return 0
  if diff -rq "$work/reference" "$work/$name"; then echo "$name: same"; else failed=1; fi
}

models reference "" g++ -O2
cmp "$work/reference/forest.model.json" "$root/configs/learned/aiwc.model.json" || failed=1
models native "" g++ -O3 -march=native
models clang "" clang++ -O3 -march=native
models inexact-library "" g++ -O2 -include "$root/tests/learned/inexact.h"
models aarch64 qemu-aarch64-static aarch64-linux-gnu-g++ -O2 -static
exit $failed
