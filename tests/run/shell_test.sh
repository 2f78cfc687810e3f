#!/usr/bin/env bash
# shell_test.sh ROOT: checks that shellcheck finds no fault in ./run, .ci/run and the scripts of tests/run and
# tests/layering. Skipped without shellcheck.
set -euo pipefail
cd "${1:?usage: shell_test.sh ROOT}"
command -v shellcheck >/dev/null || { echo "shellcheck is not installed" && exit 77; }
shellcheck run .ci/run tests/layering/*.sh tests/run/*.sh
