#!/usr/bin/env bash
# Tests job scripts on a real Slurm (slurm_cluster.sh). Slurm must accept the scripts of `apmt run --emit slurm`, both
# with a job for each process count and with job arrays, and must start the fit after all runs. Then several launches run
# at the same time in one job on two nodes; each must become a run of its own. Usage: slurm.sh APMT EXAMPLES; exit code
# 77: this machine cannot run the test.
set -uo pipefail
apmt=$1
program=$2/openmpi/halo2d
mpich_program=$2/mpich/halo2d
libraries=$(cd "$(dirname "$apmt")/../lib" && pwd)
# shellcheck source=tests/campaign/slurm_cluster.sh
source "$(dirname "${BASH_SOURCE[0]}")/slurm_cluster.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
start_slurm ""

"$apmt" run --procs 1,2,4 --reps 2 --set n=300 --dir study --predict 16 --emit slurm \
  --directive=--time=5 -- mpirun.openmpi --oversubscribe -np '{p}' "$program" '{n}' 60 || exit 1
"$apmt" run --procs 1,2 --reps 2 --set n=200,300 --dir arrays --predict 16 --emit slurm --array \
  --directive=--time=5 -- mpirun.openmpi --oversubscribe -np '{p}' "$program" '{n}' 60 || exit 1
study-jobs/submit.sh || exit 1
arrays-jobs/submit.sh || exit 1
await_jobs

expect "every run is there" test "$(find study -name profile.json | wc -l)" = 6
for procs in 1 2 4; do
  expect "2 runs on $procs" test -e "study/apmt-halo2d.p$procs.n300.r2/launch.json"
done
expect "nothing else is left" test -z "$(find study arrays -name '.campaign*' -o -name 'failed-*' -o -name 'running-*')"
expect "the fit waited for all" test -e study/model.json
expect "and predicted" grep -q "^At 16 processes" study-jobs/fit.log
jobs_of() { # how many jobs made the runs below a folder
  sed -n 's/.*"SLURM_JOB_ID": "\([0-9]*\)".*/\1/p' "$1"/*/profile.json | sort -u | wc -l
}
expect "one job per process count" test "$(jobs_of study)" = 3

expect "every element made its run" test "$(find arrays -name profile.json | wc -l)" = 8
expect "a job for each run" test "$(jobs_of arrays)" = 8
for procs in 1 2; do
  for size in 200 300; do
    made=$(sed -n 's/.*"repetition": \([0-9]*\).*/\1/p' arrays/apmt-halo2d.p$procs.n$size.r*/launch.json | sort | tr '\n' ' ')
    expect "both repetitions on $procs, n = $size" test "$made" = "1 2 "
  done
done
expect "the fit waited for all elements" test -e arrays/model.json
expect "and predicted from them" grep -q "^At 16 processes" arrays-jobs/fit.log
runs_before=$(find arrays -name profile.json | sort)
SLURM_ARRAY_TASK_ID=3 bash arrays-jobs/p2.sh >/dev/null 2>&1 || expect "an element can be run again" false
expect "existing runs are not repeated" test "$(find arrays -name profile.json | sort)" = "$runs_before"

# In one job, srun and mpirun each start two launches of the same size at the same time. All record into one folder, and
# only environment variables of Slurm and Open MPI distinguish the launches. Then `apmt record` runs a launcher inside
# `timeout`, and must wait until the launcher ends.
steps=0
{
  echo "#!/bin/bash"
  echo "export APMT_DIR=$folder/together"
  for ((i = 0; i < 2; ++i)); do
    echo "mpirun.openmpi -np 2 --map-by node env LD_PRELOAD=$libraries/libapmt-openmpi.so $program 100 5 &"
    if [[ -x $mpich_program ]]; then
      echo "srun -N2 -n2 --overlap --mpi=pmi2 env LD_PRELOAD=$libraries/libapmt-mpich.so $mpich_program 100 5 &"
      steps=$((steps + 1))
    fi
  done
  echo wait
  echo "$apmt record --dir wrapped timeout 60 mpirun.openmpi -np 2 --map-by node $program 100 5"
} >together.sh
sbatch --wait -p both -N2 -n4 -o "$folder/together.log" together.sh || expect "a job on two nodes runs" false
"$apmt" merge together || expect "every rank has its launch" false
expect "each launch is a run" test "$(find together -name profile.json | wc -l)" = $((2 + steps))
expect "with both its ranks" test "$(find together -name 'rank-0000[01].apmt' | wc -l)" = $((2 * (2 + steps)))
expect "a wrapped launcher is followed" test -e wrapped/apmt-halo2d.p2.r1/profile.json
exit "$((failures > 0))"
