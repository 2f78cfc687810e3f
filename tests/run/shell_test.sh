#!/usr/bin/env bash
# shell_test.sh ROOT: shellcheck finds nothing in the scripts that everybody depends on. Skipped without it.
set -euo pipefail
cd "${1:?usage: shell_test.sh ROOT}"
command -v shellcheck >/dev/null || { echo "shellcheck is not installed" && exit 77; }
shellcheck run .ci/run tests/layering/*.sh tests/run/*.sh
