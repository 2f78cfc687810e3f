#!/usr/bin/env bash
# measured.sh [openmpi|mpich|simgrid]... -- COMMAND...: prints the line that belongs below every table of a
# bench/NAME/README.md: when, at which commit, on which machine and with which command the table was measured. The
# scripts of the benchmarks print this line after their tables; bench/results/results.py reads it. COMMAND, given as
# separate words, is what a reader runs to repeat the measurement. The names before `--` are the MPI libraries whose
# versions matter.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

commit() {
  local hash
  hash=$(git -C "$root" rev-parse --short HEAD 2>/dev/null) || { echo "not recorded" && return; }
  # A README that is being written does not change what was measured.
  git -C "$root" diff --quiet HEAD -- ':!*.md' 2>/dev/null || hash+=" with changes"
  echo "$hash"
}

processor() {
  local name virtual=
  name=$(sed -n 's/^model name[[:space:]]*: *//p' /proc/cpuinfo 2>/dev/null | head -1)
  grep -qw hypervisor /proc/cpuinfo 2>/dev/null && virtual=" of a virtual machine"
  echo "${name:-$(uname -m), CPU not recorded} with $(nproc) cores$virtual"
}

system() {
  local name
  name=$(sed -n 's/^PRETTY_NAME="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' /etc/os-release 2>/dev/null)
  echo "${name:-OS not recorded}, Linux $(uname -r | cut -d. -f1,2)"
}

version() { # version NAME: the version of an MPI library
  local found=
  case $1 in
    openmpi)
      found=$({ mpirun.openmpi --version || mpirun --version; } 2>/dev/null | sed -n '1s/.*(Open.*) *//p') || true
      echo "Open MPI ${found:-of unknown version}"
      ;;
    mpich)
      found=$({ mpiexec.mpich --version || mpiexec --version; } 2>/dev/null | sed -n 's/^ *Version: *//p') || true
      echo "MPICH ${found:-of unknown version}"
      ;;
    simgrid)
      found=$(smpirun -version 2>/dev/null | sed -n 's/^SimGrid version //p') || true
      echo "SimGrid ${found:-of unknown version}"
      ;;
    *) echo "measured.sh: no MPI library is named '$1': openmpi, mpich or simgrid, then -- COMMAND" >&2 && return 2 ;;
  esac
}

libraries=
while (($#)) && [[ $1 != -- ]]; do
  named=$(version "$1")
  libraries+=", $named"
  shift
done
(($# > 1)) || { echo "measured.sh: name the command after --" >&2 && exit 2; }
shift
words=
for word; do # quoted as in a shell, where a word needs it
  [[ $word =~ ^[A-Za-z0-9_./:=,{}@%+-]+$ ]] || word="'${word//\'/\'\\\'\'}'"
  words+=" $word"
done
# shellcheck disable=SC2016  # the backticks are Markdown
printf '\nMeasured: %s, commit %s, %s, %s%s, with `%s`.\n' "$(date -u +%F)" "$(commit)" "$(processor)" "$(system)" \
  "$libraries" "${words# }"
