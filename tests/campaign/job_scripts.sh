#!/usr/bin/env bash
# Checks that the job scripts for every batch system are valid shell, request the right resources, and are submitted so
# that the fit starts after all runs. Stand-ins replace the systems' commands. Usage: job_scripts.sh APMT DOCS
set -uo pipefail
apmt=$1
docs=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0
expect() { "${@:2}" || { echo "FAILED: $1"; failures=$((failures + 1)); }; }

# Each stand-in prints a job id in the form of the real command, and writes its command line to the file `calls`.
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
    --interval 5 --events basic --rotate time \
    --dir "stu'dy $system" --jobs "$system jobs" --directive=--further --emit "$system" \
    -- sh -c 'exit 0' '{p}' '{n}' 2>/dev/null
  for script in p2 p6 fit submit; do
    expect "$system $script.sh is shell" bash -n "$system jobs/$script.sh"
    if command -v shellcheck >/dev/null; then
      expect "$system $script.sh passes shellcheck" shellcheck -e SC2016 "$system jobs/$script.sh"
    fi
  done
  expect "$system: further directives" grep -q "^#[A-Za-z:]* --further$" "$system jobs/p6.sh"
  expect "$system: recorded as asked" grep -q -- "--interval 5 --events basic --rotate time" "$system jobs/p6.sh"
  expect "$system: scaled sizes" grep -q -- "--set n=520" "$system jobs/p6.sh"
  "$system jobs/submit.sh" >/dev/null
  expect "$system: three submissions" test "$(wc -l <calls)" = 3
  mv calls "$system-calls"
done

# Job arrays: one array for each process count, with an element for each run; the fit starts after all arrays.
for system in slurm pbs lsf; do
  rm -f count
  "$apmt" run --procs 2,6 --set n=300,400 --reps 2 --dir study --jobs "$system-array" --emit "$system" --array \
    -- sh -c 'exit 0' '{p}' '{n}' 2>/dev/null
  for script in p2 p6 fit submit; do
    expect "$system array $script.sh is shell" bash -n "$system-array/$script.sh"
    if command -v shellcheck >/dev/null; then
      expect "$system array $script.sh passes shellcheck" shellcheck "$system-array/$script.sh"
    fi
  done
  expect "$system: the fit is not an array" test -z "$(grep -E 'array|\[1-|-J 1-' "$system-array/fit.sh")"
  "$system-array/submit.sh" >/dev/null
  expect "$system: three submissions of arrays" test "$(wc -l <calls)" = 3
  cat calls >>"$system-calls"
  rm calls
done
expect "slurm: elements" grep -qx "#SBATCH --array=1-4" slurm-array/p6.sh
expect "slurm: an output file for each element" grep -qx "#SBATCH --output=p6-%a.log" slurm-array/p6.sh
expect "pbs: elements" grep -qx "#PBS -J 1-4" pbs-array/p6.sh
expect "pbs: an output file for each element" grep -qx "#PBS -o p6-^array_index^.log" pbs-array/p6.sh
expect "lsf: elements" grep -qx '#BSUB -J "p6-study\[1-4\]"' lsf-array/p6.sh
expect "lsf: an output file for each element" grep -qx "#BSUB -o p6-%I.log" lsf-array/p6.sh

element() { # element N: the command that the Slurm script's element N runs
  sed "s|^apmt=.*|apmt=echo|" slurm-array/p6.sh | SLURM_ARRAY_TASK_ID=$1 bash
}
expect "elements take sizes in turns" test "$(for n in 1 2 3 4; do element $n | grep -o 'repetition.*n=[0-9]*'; done | tr '\n' ' ')" = \
  "repetition 1 --set n=300 repetition 1 --set n=400 repetition 2 --set n=300 repetition 2 --set n=400 "
expect "no fifth element" test "$(element 5 2>&1; echo $?)" = "there is no run for element 5
2"

# apmt refuses a directive that is not an option of the batch system: the system would later ignore or refuse it.
directed() { "$apmt" run --procs 2 --dir study --jobs directed --emit slurm "$@" -- sh '{p}' 2>&1; }
for wrong in 'module load gcc' '#SBATCH --time=1' $'--time=1\nmodule'; do
  said=$(directed --directive="$wrong")
  expect "'$wrong' is refused" test $? = 2
  expect "'$wrong': the message shows a directive" test -n "$(grep -e '--time=30:00' <<<"$said")"
done
expect "a wrong directive writes nothing" test ! -e directed
said=$(directed --setup 'module load gcc' --setup 'export A=1' --dry-run 2>/dev/null)
expect "a dry run writes nothing" test ! -e directed
expect "a dry run prints the scripts" test "$(grep -c '^# ---- ' <<<"$said")" = 3
expect "--setup comes after the directives and the directory, and before the strict shell" \
  test -n "$(tr '\n' '|' <<<"$said" | grep -o '#SBATCH [^|]*|cd [^|]*|| exit 1|module load gcc|export A=1|set -euo pipefail|')"
# Set-up commands run in the directory of the campaign, wherever the job starts. A limit that they set with
# ulimit holds for the run.
echo 'export from_setup=yes' >environment.sh
directed --setup '. ./environment.sh' --setup 'ulimit -c 0' >/dev/null
started=$(sed 's|^apmt=.*|apmt=said|' directed/p2.sh)
# shellcheck disable=SC2016
started=$(cd / && bash -c 'said() { echo "$from_setup $(ulimit -c) $*"; }; '"$started" 2>&1)
expect "--setup is run in the directory of the campaign: $started" test -n "$(grep '^yes 0 run --reps 1 ' <<<"$started")"
rm -r directed
expect "--setup without jobs" test "$("$apmt" run --procs 2 --setup true -- sh '{p}' >/dev/null 2>&1; echo $?)" = 2

"$apmt" run --procs 2 --reps 1 --jobs single --emit pbs --array -- sh '{p}' 2>/dev/null
expect "a single run is not an array" test -z "$(grep -e '-J ' single/p2.sh)"
# shellcheck disable=SC2317
refused() { # refused WORDS OPTION...: exit code 2, and a message that contains WORDS
  local said
  said=$("$apmt" run --procs 2 --dir study --jobs refused --array "${@:2}" -- sh '{p}' 2>&1)
  test $? = 2 && [[ $said == *"$1"* ]]
}
nodes=$("$apmt" run --procs 4,8 --reps 1 --dry-run -- srun -N '{p/4}' --ntasks-per-node=4 ./app '{px}' '{py}' '{pz}' 2>/dev/null)
expect "a part of the process count tells the launcher enough: $nodes" test "$nodes" = \
  "srun -N 1 --ntasks-per-node=4 ./app 2 2 1
srun -N 2 --ntasks-per-node=4 ./app 2 2 2"
expect "flux has no arrays" refused 'has no job arrays' --emit flux
expect "no array with --spread" refused 'needs the times of all repetitions' --emit slurm --spread 0.1
expect "--array without --emit is refused" refused 'applies only to job scripts' --reps 2
for option in "--jobs refused" "--ranks-per-node 4"; do
  # shellcheck disable=SC2086  # words of a command
  expect "$option without --emit is refused" test "$("$apmt" run --procs 2 $option -- sh '{p}' >/dev/null 2>&1; echo $?)" = 2
done
expect "no jobs on a simulated cluster" refused 'runs in one process' --emit slurm --virtual ethernet-10g
expect "refused commands leave nothing" test ! -e refused

expect "slurm: ranks" grep -qx "#SBATCH --ntasks=6" "slurm jobs/p6.sh"
expect "slurm: ranks a node" grep -qx "#SBATCH --ntasks-per-node=4" "slurm jobs/p6.sh"
expect "pbs: chunks" grep -qx "#PBS -l select=1:ncpus=4:mpiprocs=4+1:ncpus=2:mpiprocs=2" "pbs jobs/p6.sh"
expect "lsf: ranks" grep -qx "#BSUB -n 6" "lsf jobs/p6.sh"
expect "flux: ranks" grep -qx "#flux: --nslots=6" "flux jobs/p6.sh"
expect "flux: nodes" grep -qx "#flux: --nodes=2" "flux jobs/p6.sh"

expect "pbs: a node a chunk" grep -qx "#PBS -l place=scatter" "pbs jobs/p6.sh"

# Turns the tables of docs/job-scripts.md into patterns. Every directive in the scripts must match a row of
# the tables, and every row must occur in the scripts. A job name has no blank, begins with a letter and has
# at most 15 characters, which is the tightest limit of these systems.
# shellcheck disable=SC2016
patterns() { # patterns SYSTEM: a regular expression per row
  sed -n "/^### $1\$/,/^### /p" "$docs/job-scripts.md" | sed -n 's/^| `\([^`]*\)`.*/\1/p' |
    sed -e 's/[][().*^$+?|{}]/\\&/g' -e 's/NAME/[A-Za-z][A-Za-z0-9._-]{0,14}/' -e 's/FILE/[^ ]+/' -e 's/COUNT/[0-9]+/' \
      -e 's/CHUNKS/CHUNK(\\+CHUNK)*/' -e 's/CHUNK/[0-9]+:ncpus=[0-9]+:mpiprocs=[0-9]+/g' \
      -e 's/IDS/[^ ]+/' -e 's/CONDITION/done\\([0-9]+\\)( \&\& done\\([0-9]+\\))*/' \
      -e 's/DEPENDENCIES/(--dependency=afterok:[^ ]+ ?)+/'
}
for system in slurm pbs lsf flux; do
  { # all that the tables describe: directives, the variable with the element's number, and submitting commands
    grep -h '^#[A-Za-z]' "$system jobs"/{p2,p6,fit}.sh "$system-array"/{p2,p6,fit}.sh 2>/dev/null
    grep -oh '^case [^ ]*' "$system-array"/p6.sh 2>/dev/null | sed 's/^case //'
    cat "$system-calls"
  } | grep -v -- '--further$' | sed 's/ *$//' | sort -u >written
  patterns "$system" >known
  expect "$system: the manual's table is read" test "$(wc -l <known)" -ge 6
  others=$(grep -vxE -f known written)
  expect "$system: in docs/job-scripts.md: $others" test -z "$others"
  while read -r row; do
    expect "$system: written somewhere: $row" grep -qxE -e "$row" written
  done <known
  for script in "$system jobs"/{p2,p6,fit}.sh; do
    first=$(grep -vnE '^#' "$script" | head -n 1 | cut -d: -f1)
    last=$(grep -nE '^#' "$script" | tail -n 1 | cut -d: -f1)
    expect "$script: directives before the first command" test "$last" -lt "$first"
  done
done

last_call() { # last_call SYSTEM: the command that submitted the fit
  rm -f calls count
  "$1 jobs/submit.sh" >/dev/null
  tail -n 1 calls
}
expect "slurm: after all" test "$(last_call slurm)" = "sbatch --dependency=afterok:41:42 fit.sh"
expect "pbs: after all" test "$(last_call pbs)" = "qsub -W depend=afterok:41.server:42.server fit.sh"
expect "lsf: after all" test "$(last_call lsf)" = "bsub -w done(41) && done(42)"
expect "flux: after all" test "$(last_call flux)" = \
  "flux batch --dependency=afterok:fjob41 --dependency=afterok:fjob42 fit.sh"

# Runs a job script directly. Its command, `exit 0`, starts no MPI program, so nothing is recorded: the run fails, and
# the script must fail, too.
expect "a failing run fails the job" test "$(bash 'slurm jobs/p2.sh' >/dev/null 2>&1; echo $?)" = 1
exit "$((failures > 0))"
