#!/usr/bin/env bash
# run.sh [SCALE...]: how right shares of functions and CPU times of threads are, for runs SCALE times as long as those of
# the tests (default 1 4 16). NRMSE is the paper's equation 1, over 16 groups of 8 functions; binomial is what drawing
# that many independent samples would give.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
(($#)) || set -- 1 4 16
for scale; do
  echo "times $scale:"
  APMT_TEST_SCALE=$scale "$build/bin/inject_test" --gtest_filter='Accuracy.*' | grep -E ' samples |^thread|FAILED'
done
