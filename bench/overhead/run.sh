#!/usr/bin/env bash
# run.sh [PAIRS]: what recording costs a whole program, in CPU time. Each example runs on 2 ranks, alone and
# recorded in turns; the median of the pairs' ratios is shown with the 10 % and 90 % quantiles of it over
# resampled pairs (bootstrap, seeded).
set -euo pipefail
build=${APMT_BUILD_DIR:?set by ./run bench}
pairs=${1:-20}
examples=$build/examples/openmpi
library=$build/lib/libapmt-openmpi.so
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cpu_seconds() { # cpu_seconds COMMAND...: user and system time of it and its children
  local TIMEFORMAT='%U %S'
  { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print $1 + $2}'
}

printf '%-12s %6s %12s %12s   %s\n' example pairs 'alone (s)' 'added' '80 % interval'
for program in 'halo2d 2000 400' 'cg-poisson 1024 400' 'transpose 1024 60' 'amdahl 16000 100'; do
  read -ra command <<<"$program"
  run=(mpirun --oversubscribe -np 2 "$examples/${command[0]}" "${command[@]:1}")
  : >pairs.txt
  for ((i = 0; i < pairs; ++i)); do
    alone=$(cpu_seconds "${run[@]}")
    recorded=$(cpu_seconds env LD_PRELOAD="$library" APMT_QUIET=1 APMT_DIR="$work/experiment" "${run[@]}")
    echo "$alone $recorded" >>pairs.txt
    rm -rf "$work/experiment"
  done
  awk -v name="${command[0]}" '
    function median(list, count,    i, j, t, sorted) {
      for (i = 1; i <= count; ++i) sorted[i] = list[i]
      for (i = 2; i <= count; ++i)
        for (j = i; j > 1 && sorted[j] < sorted[j - 1]; --j) { t = sorted[j]; sorted[j] = sorted[j - 1]; sorted[j - 1] = t }
      return count % 2 ? sorted[(count + 1) / 2] : (sorted[count / 2] + sorted[count / 2 + 1]) / 2
    }
    { alone[NR] = $1; ratio[NR] = $2 / $1 - 1 }
    END {
      srand(1)
      rounds = 400
      for (r = 1; r <= rounds; ++r) {
        for (i = 1; i <= NR; ++i) pick[i] = ratio[int(rand() * NR) + 1]
        medians[r] = median(pick, NR)
      }
      for (i = 2; i <= rounds; ++i)
        for (j = i; j > 1 && medians[j] < medians[j - 1]; --j) { t = medians[j]; medians[j] = medians[j - 1]; medians[j - 1] = t }
      printf "%-12s %6d %12.2f %11.2f%%   %.2f%% to %.2f%%\n", name, NR, median(alone, NR), 100 * median(ratio, NR),
             100 * medians[int(rounds * 0.1)], 100 * medians[int(rounds * 0.9)]
    }' pairs.txt
done
