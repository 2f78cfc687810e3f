#!/usr/bin/env bash
# run.sh SUITE [FOLDER...]: runs the programs of MPICH's test suite without and with the recorder, and prints
# how many of them succeed only without it or only with it. SUITE is the folder test/mpi of MPICH's sources,
# configured for the installed MPICH. FOLDER is a folder of SUITE, such as coll. The environment variable
# SECONDS_EACH is the time limit of a program (default 60). Waiting processes yield the processor
# (mpich_yield.c).
set -euo pipefail
shopt -s inherit_errexit
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
here=$(dirname "$(readlink -f "$0")")
called=("$@")
(($#)) || { echo "SKIP: name the folder of MPICH's test suite (run.sh SUITE)" && exit 0; }
suite=$(readlink -f "$1")
shift
[[ -x $suite/runtests ]] || { echo "SKIP: $suite has no runtests: configure MPICH's test suite first" && exit 0; }
folders=("$@")
(($#)) || folders=(attr datatype errhan info init mpi_t part coll comm group pt2pt rma topo io spawn errors f77 f90)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc -O2 -shared -fPIC "$here/../../tests/mpich_yield.c" -o "$work/libyield.so" -ldl
cd "$suite"

results() { # results FOLDER WRAPPER: a line "RESULT|PROGRAM PROCESSES" for each run, sorted by program
  MPITEST_PROGRAM_WRAPPER=$2 MPITEST_CLEANUP=0 MPITEST_TIMEOUT=${SECONDS_EACH:-60} \
    ./runtests -srcdir=. -tests=testlist -testdirs="$1" -mpiexec="$(command -v mpiexec.mpich)" -maxnp=4 -tapfile="$work/tap" \
    >"$work/output" 2>&1 </dev/null || true
  # The suite reports "ok - ./coll/bcast 4" or "not ok - ./coll/bcast 4 # time=3". Runs that it skips are left out. The
  # runs of one program with different arguments are numbered.
  sed -nE '/# SKIP/d; s/^(not ok|ok) +[0-9]* *- ([^#]*[^# ]).*/\1|\2/p' "$work/tap" |
    awk -F'|' '{ print $1 "|" $2 " (" ++seen[$2] ")" }' | sort -t'|' -k2
}

echo "| folder | programs | fail in both | only without the library | only with the library |"
echo "|---|---:|---:|---:|---:|"
for folder in "${folders[@]}"; do
  results "$folder" "env LD_PRELOAD=$work/libyield.so" >"$work/$folder.alone"
  results "$folder" "env LD_PRELOAD=$build/lib/libapmt-mpich.so:$work/libyield.so APMT_QUIET=1 APMT_DIR=$work/runs" \
    >"$work/$folder.recorded"
  rm -rf "$work/runs"
  [[ -s $work/$folder.alone ]] || { tail -n 5 "$work/output" >&2 && echo "no program of $folder ran" >&2 && exit 1; }
  join -t'|' -j2 -a1 -a2 -e missing -o 0,1.1,2.1 "$work/$folder.alone" "$work/$folder.recorded" | awk -F'|' -v folder="$folder" '
    { ++programs }
    $2 != "ok" && $3 != "ok" { ++both }
    $2 != "ok" && $3 == "ok" { print "fails only without the library: " $1 >"/dev/stderr"; ++alone }
    $2 == "ok" && $3 != "ok" { print "fails only with the library: " $1 >"/dev/stderr"; ++recorded }
    END { printf "| %s | %d | %d | %d | %d |\n", folder, programs, both, alone, recorded }'
done | tee "$work/table"
awk -F'|' '{ for (i = 3; i <= 6; ++i) sum[i] += $i }
  END { printf "| in all | %d | %d | %d | %d |\n", sum[3], sum[4], sum[5], sum[6] }' "$work/table"
"$here/../measured.sh" mpich -- bench/conformance/run.sh SUITE "${called[@]:1}"
