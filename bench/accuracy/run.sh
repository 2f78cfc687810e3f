#!/usr/bin/env bash
# run.sh [SCALE...]: measures how accurate the sampled shares of functions and CPU times of threads are, in runs SCALE
# times as long as in the tests (default 1 4 16). NRMSE is the normalised root mean square error (equation 1 of the APMT
# paper), over 16 groups of 8 functions; "binomial" is the NRMSE that the same number of independent samples would have.
# A second table shows which share of the computation between MPI calls each source of samples finds. The test program
# computes in pieces shorter and longer than the tick of Linux: on 2 and on 4 ranks alone, and on 2 ranks beside other
# load.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
called=("$@")
(($#)) || set -- 1 4 16
for scale; do
  echo "times $scale:"
  APMT_TEST_SCALE=$scale "$build/bin/inject_test" --gtest_filter='Accuracy.*' | grep -E ' samples |^thread|FAILED'
done

work=$(mktemp -d)
load=()
trap 'rm -rf "$work"; ((${#load[@]} == 0)) || kill "${load[@]}"' EXIT

found() { # found SOURCE RANKS PIECE_MS SECONDS: the share of the computation between MPI calls that SOURCE finds
  local computed
  computed=$("$build/bin/apmt" -qq record --source "$1" -d "$work/run" -- mpirun --oversubscribe -np "$2" \
    "$build/tests/inject/programs/openmpi/pieces" "$3" "$4")
  "$build/bin/apmt" info --json "$work/run/apmt-pieces.p$2.r1" | python3 -c '
import json, sys
computed = float(sys.argv[1])
found_s = sum(json.load(sys.stdin)["times"]["sampled_cpu_s"])
print(f"{found_s / computed:.2f}")' "$computed"
  rm -r "$work/run"
}

echo '| beside | ranks | pieces of (ms) | posix-timer | task-clock |'
echo '|---|---:|---:|---:|---:|'
for beside in nothing '6 busy loops'; do
  all_ranks='2 4' pieces='1 10 100'
  if [[ $beside != nothing ]]; then
    all_ranks=2 pieces='1 10' # more takes minutes
    for ((i = 0; i < 6; ++i)); do
      bash -c 'while :; do :; done' &
      load+=($!)
    done
  fi
  for ranks in $all_ranks; do
    for piece in $pieces; do
      timer=$(found posix-timer "$ranks" "$piece" 1)
      clock=$(found task-clock "$ranks" "$piece" 1)
      echo "| $beside | $ranks | $piece | $timer | $clock |"
    done
  done
done
"$(dirname "$0")/../measured.sh" openmpi -- bench/accuracy/run.sh "${called[@]}"
