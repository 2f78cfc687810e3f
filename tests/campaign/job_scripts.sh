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
