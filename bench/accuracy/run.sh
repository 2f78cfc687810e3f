#!/usr/bin/env bash
# run.sh [SCALE...]: how right shares of functions and CPU times of threads are, for runs SCALE times as long as those of
# the tests (default 1 4 16). NRMSE is the paper's equation 1, over 16 groups of 8 functions; binomial is what drawing
# that many independent samples would give. Then how much of the computation between MPI calls is found, in pieces shorter
# and longer than the kernel's tick, on 2 and on 4 ranks; sampled by the timer.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
(($#)) || set -- 1 4 16
for scale; do
  echo "times $scale:"
  APMT_TEST_SCALE=$scale "$build/bin/inject_test" --gtest_filter='Accuracy.*' | grep -E ' samples |^thread|FAILED'
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo '| ranks | pieces of (ms) | computed (s) | sampled (s) | sampled / computed |'
echo '|---:|---:|---:|---:|---:|'
for ranks in 2 4; do
  for piece in 0.1 1 10 100; do
    computed=$("$build/bin/apmt" -qq record --source posix-timer -d "$work/$ranks-$piece" -- mpirun --oversubscribe -np "$ranks" \
      "$build/tests/inject/programs/openmpi/pieces" "$piece" 1)
    "$build/bin/apmt" info --json "$work/$ranks-$piece/apmt-pieces.p$ranks.r1" | python3 -c '
import json, sys
ranks, piece, computed = sys.argv[1], sys.argv[2], float(sys.argv[3])
sampled = sum(json.load(sys.stdin)["times"]["sampled_cpu_s"])
print(f"| {ranks} | {piece} | {computed:.2f} | {sampled:.2f} | {sampled / computed:.2f} |")' "$ranks" "$piece" "$computed"
  done
done
