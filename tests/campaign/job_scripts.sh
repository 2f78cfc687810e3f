#!/usr/bin/env bash
# Job scripts of every batch system are good shell, ask for what is needed, and are submitted with the fit
# depending on all runs; tried with stand-ins for the systems' commands. Usage: job_scripts.sh APMT
set -uo pipefail
apmt=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
expect() { "${@:2}" || { echo "FAILED: $1"; failures=$((failures + 1)); }; }

# Each stand-in answers as its system does and notes how it was called.
mkdir bin
stand_in() {
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$folder" "$2" >"bin/$1"
  chmod +x "bin/$1"
}
next="n=\$((\$(cat '$folder/count' 2>/dev/null || echo 40) + 1)); echo \$n >'$folder/count'"
stand_in sbatch "$next; echo \"\$n;cluster\""
stand_in qsub "$next; echo \$n.server"
stand_in bsub "$next; grep -c . >/dev/null; echo \"Job <\$n> is submitted to default queue <normal>.\""
stand_in flux "$next; echo fjob\$n"
export PATH=$folder/bin:$PATH

for system in slurm pbs lsf flux; do
  rm -f calls count
  "$apmt" run --procs 2,6 --set n=300 --scaling weak --work 'n*n' --ranks-per-node 4 --spread 0.01 \
    --dir "stu'dy $system" --jobs "$system jobs" --directive=--further --emit "$system" \
    -- sh -c 'exit 0' '{p}' '{n}' 2>/dev/null
  for script in p2 p6 fit submit; do
    expect "$system $script.sh is shell" bash -n "$system jobs/$script.sh"
    if command -v shellcheck >/dev/null; then
      expect "$system $script.sh passes shellcheck" shellcheck -e SC2016 "$system jobs/$script.sh"
    fi
  done
  expect "$system: further directives" grep -q "^#[A-Za-z:]* --further$" "$system jobs/p6.sh"
  expect "$system: sizes as they scale" grep -q -- "--set n=520" "$system jobs/p6.sh"
  "$system jobs/submit.sh" >/dev/null
  expect "$system: three submissions" test "$(wc -l <calls)" = 3
done

expect "slurm: ranks" grep -qx "#SBATCH --ntasks=6" "slurm jobs/p6.sh"
expect "slurm: ranks a node" grep -qx "#SBATCH --ntasks-per-node=4" "slurm jobs/p6.sh"
expect "pbs: chunks" grep -qx "#PBS -l select=1:ncpus=4:mpiprocs=4+1:ncpus=2:mpiprocs=2" "pbs jobs/p6.sh"
expect "lsf: ranks" grep -qx "#BSUB -n 6" "lsf jobs/p6.sh"
expect "flux: ranks" grep -qx "#flux: --nslots=6" "flux jobs/p6.sh"
expect "flux: nodes" grep -qx "#flux: --nodes=2" "flux jobs/p6.sh"

expect "pbs: a node a chunk" grep -qx "#PBS -l place=scatter" "pbs jobs/p6.sh"

# Directives as the manuals write them: sbatch(1), qsub(1B) of OpenPBS, bsub(1), flux-batch(1). A name has no blank,
# a letter first and at most 15 characters, which is what the narrowest of them takes.
name='[A-Za-z][A-Za-z0-9._-]{0,14}'
chunk='[0-9]+:ncpus=[0-9]+:mpiprocs=[0-9]+'
declare -A directive
directive[slurm]="#SBATCH (--job-name=$name|--output=[^ ]+|--ntasks=[0-9]+|--ntasks-per-node=[0-9]+|--further)"
directive[pbs]="#PBS (-N $name|-j oe|-o [^ ]+|-l select=$chunk(\+$chunk)*|-l place=scatter|--further)"
directive[lsf]="#BSUB (-J $name|-o [^ ]+|-n [0-9]+|-R \"span\[ptile=[0-9]+\]\"|--further)"
directive[flux]="#flux: (--job-name=$name|--output=[^ ]+|--nslots=[0-9]+|--nodes=[0-9]+|--further)"
for system in slurm pbs lsf flux; do
  for script in p2 p6 fit; do
    others=$(grep -E '^#' "$system jobs/$script.sh" | grep -vxE '#!/bin/bash|'"${directive[$system]}" || true)
    expect "$system $script.sh: directives as in the manual, not: $others" test -z "$others"
    first=$(grep -vnE '^#' "$system jobs/$script.sh" | head -n 1 | cut -d: -f1)
    last=$(grep -nE '^#' "$system jobs/$script.sh" | tail -n 1 | cut -d: -f1)
    expect "$system $script.sh: directives before the first command" test "$last" -lt "$first"
  done
done

last_call() { # last_call SYSTEM: how the fit was submitted
  rm -f calls count
  "$1 jobs/submit.sh" >/dev/null
  tail -n 1 calls
}
expect "slurm: after all" test "$(last_call slurm)" = "sbatch --dependency=afterok:41:42 fit.sh"
expect "pbs: after all" test "$(last_call pbs)" = "qsub -W depend=afterok:41.server:42.server fit.sh"
expect "lsf: after all" test "$(last_call lsf)" = "bsub -w done(41) && done(42)"
expect "flux: after all" test "$(last_call flux)" = \
  "flux batch --dependency=afterok:fjob41 --dependency=afterok:fjob42 fit.sh"

# A script, run as the job would run it, does the work: two runs that record nothing make it fail.
expect "a failing run fails the job" test "$(bash 'slurm jobs/p2.sh' >/dev/null 2>&1; echo $?)" = 1
exit "$((failures > 0))"
