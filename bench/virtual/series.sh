#!/usr/bin/env bash
# series.sh DIR <LIST: compares predictions of real programs with runs on the virtual cluster. Each line of
# LIST is
#   NAME | processes to learn from | processes to predict | PROGRAM ARGUMENTS...
# where PROGRAM is built with smpicc, smpicxx or smpiff, {p} is the process count, {r} is its cube root and {N/r} is
# N divided by {r} (for programs whose arguments are the sides of a grid or the size of a block). The times of
# profiled and predicted counts are medians of three runs. The runs are made in three rounds over all counts, so that a
# disturbance of some minutes affects all counts and not all runs of one count. The runs stay in DIR; existing runs are
# not repeated. table.py DIR prints the table.
set -euo pipefail
work=${1:?usage: series.sh DIR <LIST}
export PATH=${APMT_BUILD_DIR:+$APMT_BUILD_DIR/bin:}$PATH
mkdir -p "$work"

runs() { # DIRECTORY ROUND PROCESSES COMMAND
  local procs root command
  for procs in ${3//,/ }; do
    root=$(awk -v p="$procs" 'BEGIN { printf "%d", p ^ (1 / 3) + 0.5 }')
    command=${4//\{r\}/$root}
    while [[ $command =~ \{([0-9]+)/r\} ]]; do
      command=${command/"${BASH_REMATCH[0]}"/$((BASH_REMATCH[1] / root))}
    done
    # shellcheck disable=SC2086  # words of a command
    apmt -qq run --virtual "${CLUSTER:-ethernet-10g}" --procs "$procs" --reps 3 --repetition "$2" --any-command -d "$1" -- ${command//\{p\}/$procs} </dev/null
  done
}

while IFS='|' read -r name train test command; do
  name=${name// /}
  [[ -n $name && $name != \#* ]] || continue
  echo "$name" >&2
  for round in 1 2 3; do
    runs "$work/$name" "$round" "$train" "$command"
    runs "$work/$name.large" "$round" "$test" "$command"
  done
  apmt validate "$work/$name.large" --model "$work/$name" --same-program --json >"$work/$name.json"
done
