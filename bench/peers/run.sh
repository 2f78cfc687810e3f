#!/usr/bin/env bash
# run.sh [COMMAND...]: compares the MPI call counts and sent bytes that apmt records with those of mpiP, an
# independent MPI profiler. Each COMMAND is one quoted command line with its launcher; its program must make the
# same calls in every run, e.g.
#   MPIP=/path/libmpiP.so APMT_BUILD_DIR=build/release bench/peers/run.sh 'mpirun -np 4 /path/cg.W.4'
# The variable MPIP names mpiP's library, built for the same MPI. Each program runs twice, once with each profiler.
# Prints a Markdown table: one line per program sums up the operations that are the same in both, and each operation
# that differs has a line of its own. If the figures fit a known reason for the difference, the line states the reason;
# if an operation differs without a known reason, the exit code is 4. Needs jq.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
: "${MPIP:=}"
if [[ -z $MPIP ]] || ! command -v jq >/dev/null; then
  echo "skipped: set MPIP to mpiP's library (github.com/LLNL/mpiP) and install jq"
  exit 0
fi
(($#)) || set -- "mpirun --oversubscribe -np 4 $build/examples/openmpi/halo2d 400 50" \
  "mpirun --oversubscribe -np 4 $build/examples/openmpi/cg-poisson 256 50"
bench=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
called=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
family=openmpi also=
if [[ $(ldd "$MPIP") == *libmpich* ]]; then
  family=mpich
  also=$work/libyield.so
  cc -O2 -shared -fPIC "$bench/../tests/mpich_yield.c" -o "$also" -ldl
fi

# Prints OPERATION CALLS BYTES for each operation in a report of mpiP. mpiP omits "MPI_" from the names. The line
# with `*` is the sum over all ranks. mpiP counts the bytes of a call's buffer once, also in collectives. Its table
# of bytes lacks operations that send nothing.
as_mpip_counts() { # REPORT
  awk '/^@---/ { table = /Callsite Time stat/ ? "calls" : /Callsite Message Sent stat/ ? "bytes" : "" }
       table && $3 == "*" { if (table == "calls") calls[$1] += $4; else bytes[$1] += $8 }
       END { for (op in calls) printf "MPI_%s %.0f %.0f\n", op, calls[op], bytes[op] }' "$1" | sort
}

# Prints OPERATION CALLS BYTES for each operation of a run that apmt recorded.
as_apmt_counts() { # RUN
  "$build/bin/apmt" info --json "$1" |
    jq -r '.mpi | group_by(.op)[] | "\(.[0].op) \(map(.calls) | add) \(map(.bytes_sent) | add)"' | sort
}

status=0
echo '| program | operation | calls: apmt | mpiP | bytes sent: apmt | mpiP | reason |'
echo '|---|---|---:|---:|---:|---:|---|'
for command; do
  read -ra words <<<"$command"
  mkdir "$work/run" && cd "$work/run"
  env LD_PRELOAD="$MPIP${also:+:$also}" MPIP="-e -t 0 -k 0 -f $work/run" "${words[@]}" >output 2>&1 || { cat output >&2; exit 1; }
  as_mpip_counts "$work"/run/*.mpiP >mpip
  env LD_PRELOAD="$also" "$build/bin/apmt" record -d experiment -- "${words[@]}" >output 2>&1 || { cat output >&2; exit 1; }
  as_apmt_counts experiment/*.r1 >apmt
  name=$(jq -r .program experiment/*.r1/profile.json)
  # mpiP does not wrap calls such as MPI_Comm_rank and MPI_Wtime. Operations that only apmt reports are not
  # compared.
  join -a 1 -e none -o 0,1.2,1.3,2.2,2.3 mpip apmt >both
  awk -v name="$name" -v ranks="$(jq .config.procs experiment/*.r1/profile.json)" '
    # Returns the known convention by which mpiP counts bytes differently, if the figures agree with it.
    function reason(op, calls, its_calls, bytes, its_bytes) {
      if (calls != its_calls) return ""
      if (op ~ /[vw]$/ && its_bytes == 0) return "mpiP counts no bytes of calls with a count per rank"
      if (op ~ /Alltoall$/ && bytes == its_bytes * ranks) return "mpiP counts the block of one receiver"
      if (op ~ /Bcast$/ && its_bytes == bytes * ranks) return "mpiP counts the buffer at receivers too"
      return ""
    }
    $2 == $4 && $3 == $5 { calls += $2; bytes += $3; same++; next }
    { why = reason($1, $4, $2, $5, $3)
      if (why == "") unexplained++
      lines = lines sprintf("| %s | %s | %s | %s | %s | %s | %s |\n", name, $1, $4, $2, $5, $3, why == "" ? "?" : why) }
    END { printf "| %s | %d of %d operations | %.0f | the same | %.0f | the same | |\n%s", name, same, NR, calls, bytes, lines
          exit unexplained ? 4 : 0 }' both || status=4
  cd "$work" && rm -rf run
done
"$bench/measured.sh" "$family" -- bench/peers/run.sh "${called[@]}"
exit $status
