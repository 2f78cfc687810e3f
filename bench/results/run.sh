#!/usr/bin/env bash
# run.sh: writes docs/results.md from the tables in bench/*/README.md. It measures nothing.
set -euo pipefail
exec python3 "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/results.py" "$@"
