#!/usr/bin/env bash
# run.sh [--seconds S] [--pairs N] [--against BUILD] [COMMAND...]: measures the CPU time (user and system, all
# processes) that recording adds to whole commands, compared with other profilers on the same commands. Each COMMAND
# is one quoted command line with its launcher, e.g.
#   APMT_BUILD_DIR=build/release bench/overhead/run.sh 'mpirun -np 2 /path/cg.A.2' 'mpirun -np 2 /path/mg.A.2'
# Without a COMMAND, the examples run on 2 ranks. A round runs A X Y A: A is the command alone, X with apmt, Y with
# another profiler (with two others: A X Y Z A); the order of the profilers is reversed every round. Each run with a
# profiler is compared with the mean of the two runs A around it, so that drift of the machine cancels. At least N
# rounds are made (default 3). After that, rounds are repeated until S seconds are over (default 120) or, from the
# eighth round on, the 95 % interval of the median cost of apmt is at most 2 % wide. Other profilers are `perf record`
# with the same sampling interval, if perf works here, and mpiP, if the variable MPIP names its library. With --against
# BUILD the only other profiler is the recorder of another build of apmt (one with APMT_RUNTIME_ONLY is enough). A
# further row then compares both recorders, from the rounds in which both ran.
set -euo pipefail
shopt -s inherit_errexit # otherwise a command that fails would count as 0 s
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
called=("$@") seconds=120 least=3 against=
while [[ ${1:-} == --* ]]; do
  case $1 in
    --seconds) seconds=$2 && shift 2 ;;
    --pairs) least=$2 && shift 2 ;;
    --against) against=$(readlink -f "$2") && shift 2 ;;
    *) echo "unknown option $1" >&2 && exit 2 ;;
  esac
done
commands=("$@")
if ((!$#)); then
  for program in 'halo2d 2000 200' 'cg-poisson 1024 200' 'transpose 1024 30' 'amdahl 16000 50'; do
    commands+=("mpirun --oversubscribe -np 2 $build/examples/openmpi/$program")
  done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

library_for() { # library_for BUILD WORD...: one of the words is a program; prints BUILD's library for its MPI
  local build=$1 word
  shift
  for word; do
    [[ -f $word ]] || continue
    case $(ldd "$word" 2>/dev/null) in
      *libmpich*) echo "$build/lib/libapmt-mpich.so" && return ;;
      *libmpi.so*) echo "$build/lib/libapmt-openmpi.so" && return ;;
    esac
  done
  echo "$build/lib/libapmt-openmpi.so"
}

cpu_seconds() { # cpu_seconds COMMAND...: CPU time of the command and its children; fails if the command fails
  local TIMEFORMAT='%U %S' times
  times=$({ time "$@" >"$work/output" 2>&1; } 2>&1) || { cat "$work/output" >&2; return 1; }
  awk '{print $1 + $2}' <<<"$times"
}

record() { # record BUILD WORD...: with the recorder of this build
  local build=$1
  shift
  cpu_seconds env LD_PRELOAD="$(library_for "$build" "$@")" APMT_QUIET=1 APMT_DIR="$work/experiment" "$@"
}

run_as() { # run_as VARIANT WORD...
  local variant=$1
  shift
  case $variant in
    alone) cpu_seconds env "$@" ;; # with env, as below, because env itself takes a millisecond
    apmt) record "$build" "$@" ;;
    other) record "$against" "$@" ;;
    perf) cpu_seconds perf record -q -e task-clock:u -c "$interval_ns" -o "$work/perf.data" -- "$@" ;;
    mpiP) cpu_seconds env LD_PRELOAD="$MPIP" MPIP="-f $work" "$@" ;;
    *) echo "there is no variant $variant" >&2 && return 1 ;;
  esac
  rm -rf "$work/experiment" "$work"/perf.data* "$work"/*.mpiP
}

# Prints the median of the ratios in a file as a surplus in percent, and its 95 % interval (by resampling, with a
# fixed seed).
summary() {
  sort -g "$1" | awk '
    function middle(list, n) { return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2 }
    function sort_numbers(list, n,    i, j, t) {
      for (i = 2; i <= n; ++i)
        for (j = i; j > 1 && list[j] < list[j - 1]; --j) { t = list[j]; list[j] = list[j - 1]; list[j - 1] = t }
    }
    { ratio[NR] = 100 * ($1 - 1) }
    END {
      srand(1)
      rounds = 500
      for (r = 1; r <= rounds; ++r) {
        for (i = 1; i <= NR; ++i) pick[i] = ratio[int(rand() * NR) + 1]
        sort_numbers(pick, NR)
        medians[r] = middle(pick, NR)
      }
      sort_numbers(medians, rounds)
      printf "%.2f %.2f %.2f\n", middle(ratio, NR), medians[int(rounds * 0.025) + 1], medians[int(rounds * 0.975)]
    }'
}

variants=(apmt)
# perf samples with the interval that apmt chooses for the first command.
read -ra first <<<"${commands[0]}"
env LD_PRELOAD="$(library_for "$build" "${first[@]}")" APMT_QUIET=1 APMT_DIR="$work/probe" "${first[@]}" >"$work/output" 2>&1 ||
  { cat "$work/output" >&2 && exit 1; }
interval_ns=$("$build/bin/apmt" info --json "$work"/probe/running-* |
  awk -F'[:,]' '/"interval_s"/ {printf "%d", $2 * 1e9; exit}')
((interval_ns > 0)) || interval_ns=1000000
if [[ -n $against ]]; then
  variants+=(other)
elif perf record -q -e task-clock:u -c "$interval_ns" -o "$work/perf.data" -- true >/dev/null 2>&1; then
  variants+=(perf)
else
  echo "perf: left out, 'perf record' is missing or may not sample here"
fi
if [[ -n $against ]]; then
  echo "other: the recorder in $against"
elif [[ -n ${MPIP:-} ]]; then
  variants+=(mpiP)
else
  echo "mpiP: left out, MPIP does not name its library"
fi
echo "interval between samples: $((interval_ns / 1000)) us of CPU time"
echo
printf '%-16s %-6s %6s %10s %9s   %s\n' program with rounds 'alone (s)' added '95 % interval'

declare -A over
for line in "${commands[@]}"; do
  read -ra command <<<"$line"
  name=
  for word in "${command[@]}"; do [[ -z $name && -f $word && -x $word ]] && name=${word##*/}; done
  rm -f "$work"/*.ratios
  begin=$SECONDS rounds=0
  before=$(run_as alone "${command[@]}")
  : >"$work/alone.times"
  while :; do
    order=("${variants[@]}")
    ((rounds % 2)) && mapfile -t order < <(printf '%s\n' "${variants[@]}" | tac)
    declare -A took=()
    for variant in "${order[@]}"; do took[$variant]=$(run_as "$variant" "${command[@]}"); done
    after=$(run_as alone "${command[@]}")
    echo "$after" >>"$work/alone.times"
    for variant in "${variants[@]}"; do
      awk "BEGIN {print ${took[$variant]} * 2 / ($before + $after)}" >>"$work/$variant.ratios"
    done
    [[ -z $against ]] || awk "BEGIN {print ${took[apmt]} / ${took[other]}}" >>"$work/between.ratios"
    before=$after rounds=$((rounds + 1))
    ((rounds < least)) && continue
    ((SECONDS - begin >= seconds)) && break
    ((rounds >= 8)) && summary "$work/apmt.ratios" | awk '{exit !($3 - $2 <= 2)}' && break
  done
  alone=$(sort -g "$work/alone.times" | awk '{t[NR] = $1} END {print t[int((NR + 1) / 2)]}')
  for variant in "${variants[@]}" ${against:+between}; do
    read -r median low high <<<"$(summary "$work/$variant.ratios")"
    printf '%-16s %-6s %6d %10.2f %8.2f%%   %.2f%% to %.2f%%\n' "${name:-?}" "$variant" "$rounds" "$alone" "$median" "$low" "$high"
    over[$variant]+="$median "
  done
done
echo
for variant in "${variants[@]}" ${against:+between}; do
  tr ' ' '\n' <<<"${over[$variant]}" | grep . | sort -g | awk -v with="$variant" '{v[NR] = $1} END {
    m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
    printf "%-6s median of %d programs %.2f%%, largest %.2f%%\n", with, NR, m, v[NR]}'
done
"$(dirname "$0")/../measured.sh" openmpi -- bench/overhead/run.sh "${called[@]}"
