# A Slurm of two nodes on this machine, for the tests that source this file: munged, slurmctld and two slurmd
# with a temporary configuration. The working directory becomes a temporary folder, $folder, and `finish` runs
# at the exit. The test is skipped (exit code 77) if this machine cannot run it. The test sets $program, the
# path of a program built with Open MPI.
# shellcheck shell=bash

skip() { echo "SKIPPED: $*"; exit 77; }
export PATH=$PATH:/usr/sbin
for tool in munged slurmctld slurmd sbatch scontrol mpirun.openmpi python3; do
  command -v "$tool" >/dev/null || skip "$tool is not installed"
done
((EUID == 0)) || skip "slurmd needs root"
[[ -x ${program:?} ]] || skip "the examples are not built with Open MPI"

folder=$(mktemp -d /tmp/apmt-slurm-XXXXXX)
daemons=()
finish() {
  local code=$?
  ((${#daemons[@]} == 0)) || kill "${daemons[@]}" 2>/dev/null
  wait
  ((code == 0 || code == 77)) || tail -n 30 "$folder"/*.log "$folder"/*-jobs/*.log 2>/dev/null
  rm -rf "$folder"
  exit "$code"
}
trap finish EXIT
chmod 755 "$folder"
cd "$folder" || exit 1

# Waits for a command to succeed, for a minute at most.
await() {
  for ((i = 0; i < 600; ++i)); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  echo "waited in vain for: $*"
  exit 1
}

idle() { [[ $(sinfo -h -p both -o %t) == idle ]]; }

start_slurm() { # start_slurm [LINE]: with a further line of slurm.conf
  local controller daemon second
  read -r controller daemon second < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(3)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*[s.getsockname()[1] for s in sockets])')
  host=$(hostname -s)
  head -c 1024 /dev/urandom >munge.key
  chmod 400 munge.key
  mkdir -m 755 "spool.$host" spool.second state
  cat >slurm.conf <<END
ClusterName=apmt
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$controller
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
ReturnToService=2
MpiDefault=none
SchedulerParameters=sched_interval=1,batch_sched_delay=1
NodeName=$host NodeHostname=$host NodeAddr=127.0.0.1 Port=$daemon CPUs=4 State=UNKNOWN
NodeName=second NodeHostname=$host NodeAddr=127.0.0.1 Port=$second CPUs=4 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP
PartitionName=both Nodes=$host,second MaxTime=10 State=UP
${1:-}
END
  export SLURM_CONF=$folder/slurm.conf

  munged --foreground --force --socket="$folder/munge.socket" --key-file="$folder/munge.key" \
    --pid-file="$folder/munge.pid" --log-file="$folder/munge.log" --seed-file="$folder/munge.seed" &
  daemons+=($!)
  await test -S "$folder/munge.socket"
  slurmctld -D >/dev/null 2>&1 &
  daemons+=($!)
  await scontrol ping
  for node in "$host" second; do
    slurmd -D -N "$node" >/dev/null 2>&1 &
    daemons+=($!)
  done
  await idle
}

# Waits, for three minutes at most, until no job is left, epilogs included.
await_jobs() {
  no_job() { [[ -z $(squeue -h) ]]; }
  for ((minute = 0; minute < 3; ++minute)); do
    no_job && return
    (await no_job) && return
  done
  squeue
  exit 1
}

failures=0
expect() { "${@:2}" || { echo "FAILED: $1"; failures=$((failures + 1)); }; }
