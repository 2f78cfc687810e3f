#!/usr/bin/env bash
# The epilog of docs/service.md on a real Slurm: it pushes the runs of a job, from one of the job's nodes and as the
# job's user, and never disturbs a job. Usage: slurm_epilog.sh APMT EXAMPLES; exit code 77: this machine cannot run the
# test.
set -uo pipefail
apmt=$1
program=$2/openmpi/halo2d
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/campaign/slurm_cluster.sh
source "$here/../campaign/slurm_cluster.sh"
command -v curl >/dev/null || skip "curl is not installed"

page() { # page LANGUAGE [OLD NEW]...
  python3 -B "$here/page.py" "After every job of Slurm" "$@" || exit 1
}

serve() { # starts the server, the first time on a free port
  : >server.log
  "$apmt" serve --store "sqlite:$folder/apmt.db" --listen "127.0.0.1:${port:-0}" 2>server.log &
  server=$!
  await grep -q listening server.log
  port=$(sed -n 's/.*url=http:\/\/127.0.0.1:\([0-9]*\).*/\1/p' server.log)
}
serve
daemons+=("$server")
"$apmt" -q serve --store "sqlite:$folder/apmt.db" token add slurm --role pusher >pusher-token
chmod 600 pusher-token

# The script calls an apmt that notes its calls.
mkdir epilog.d bin
chmod 755 epilog.d bin
install -m 666 /dev/null calls
# shellcheck disable=SC2016  # sh expands it
printf '#!/bin/sh\necho "$(id -un) $*" >>%s/calls\nexec %s "$@"\n' "$folder" "$apmt" >bin/apmt
page sh PATH=/usr/local/bin: "PATH=$folder/bin:/usr/local/bin:" /etc/apmt/pusher-token "$folder/pusher-token" \
  https://apmt.example.org "http://127.0.0.1:$port" >epilog.d/90-apmt.sh
chmod 755 bin/apmt epilog.d/90-apmt.sh
start_slurm "$(page conf /etc/slurm/epilog.d "$folder/epilog.d")"

job() { # job FOLDER COMMAND...: a job of another user on both nodes; ends after its epilogs, with its exit code
  [[ -d $1 ]] || install -d -o nobody "$1"
  printf '#!/bin/sh\nexport HOME=%s\ncd %s && ' "$folder/$1" "$folder/$1" >"$1.sh"
  printf '%q ' "${@:2}" >>"$1.sh"
  runuser -u nobody -- sbatch --quiet --wait -p both -N2 -n4 -D "$folder/$1" -o "$folder/$1/out.log" "$1.sh"
  local code=$?
  await_jobs
  await idle # an epilog that fails would take its node out of use
  return "$code"
}
# shellcheck disable=SC2317  # `expect` calls these functions
record() { # record FOLDER: a job that records two runs
  job "$1" "$apmt" -qq run --procs '1,2' --reps 1 -- mpirun.openmpi --oversubscribe -np '{p}' "$program" 300 60
}
# shellcheck disable=SC2317
are_known() { # are_known MACHINE=RUNS,... : the applications that the server has
  local applications
  applications=$(curl --silent -H "Authorization: Bearer $(cat pusher-token)" \
    "http://127.0.0.1:$port/api/v1/applications" | python3 -c 'import json, sys
print(",".join("%s=%d" % (each["machine"], each["runs"]) for each in json.load(sys.stdin)))')
  [[ $applications == "$1" ]] || { echo "the server has $applications"; return 1; }
}
# shellcheck disable=SC2317
called() { [[ $(wc -l <calls) == "$1" ]] || { cat calls; return 1; }; }

expect "a job records runs" record first
expect "they arrive, from the cluster" are_known apmt=2
expect "from one of the two nodes, once" called 1
expect "pushed by the job's user" grep -q "^nobody -q push $folder/first/apmt-halo2d/ " calls

expect "a job without recordings ends well" job second true
expect "and pushes nothing" called 1

# Without a server, jobs end as before, and Slurm does not take their nodes out of use. The next job in the
# same folder pushes the runs.
kill "$server" && wait "$server"
expect "a job records runs while the server is down" record third
expect "a push was tried" called 2
job fails false
expect "a job that fails has its own exit code" test $? = 1
serve
daemons+=("$server")
expect "the runs are still not there" are_known apmt=2
expect "a job in the same folder ends well" job third true
expect "and pushes what the other could not" are_known apmt=4
exit "$((failures > 0))"
