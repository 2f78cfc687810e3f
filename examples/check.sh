#!/bin/sh
# Tests an example program. Runs it with several numbers of ranks: each run must end with exit code 0 and print one
# "ok" line, which contains a checksum and must be the same in all runs. Then runs it with arguments that it must
# refuse with exit code 2 and a message.
#
# usage: check.sh openmpi|mpich LAUNCHER PROGRAM "ARGUMENTS" "RANKS..." ["RANKS:REFUSED ARGUMENTS"...]
set -u
family=$1 launcher=$2 program=$3 arguments=$4 counts=$5
shift 5

run() { # ranks arguments...: leaves the output in $output and the exit code in $status; 0 ranks means
  # one rank without a launcher, because some launchers take long to report an exit code
  ranks=$1
  shift
  case $ranks:$family in
    0:*) output=$("$program" "$@" 2>&1)
      status=$?
      return ;;
    *:openmpi) set -- --mca btl_vader_single_copy_mechanism none -n "$ranks" "$program" "$@" ;;
    *) set -- -n "$ranks" "$program" "$@" ;;
  esac
  output=$("$launcher" "$@" 2>&1)
  status=$?
}

fail() {
  echo "FAILED: $1"
  echo "$output"
  failed=1
}

failed=0
first=
for count in $counts; do
  # shellcheck disable=SC2086  # arguments are words
  run "$count" $arguments
  ok=$(echo "$output" | grep '^ok ')
  echo "$count ranks: $ok"
  if [ $status -ne 0 ]; then
    fail "exit code $status at $count ranks"
  elif [ "$(echo "$ok" | grep -c .)" -ne 1 ]; then
    fail "not one ok line at $count ranks"
  elif [ -n "$first" ] && [ "$ok" != "$first" ]; then
    fail "the ok line at $count ranks is not: $first"
  fi
  first=${first:-$ok}
done

for refused in "$@"; do
  # shellcheck disable=SC2086
  run "${refused%%:*}" ${refused#*:}
  message=$(echo "$output" | grep "^$(basename "$program"): ")
  echo "refused $refused: $message"
  if [ $status -ne 2 ]; then
    fail "exit code $status, not 2, with $refused"
  elif [ "$(echo "$message" | grep -c .)" -ne 1 ]; then
    fail "not one message with $refused"
  fi
done
exit $failed
