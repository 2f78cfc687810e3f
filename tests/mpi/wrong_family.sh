#!/bin/sh
# wrong_family.sh PROGRAM WRONG_LIBRARY RIGHT_NAME WORK_DIR LAUNCHER...: preloads the recorder's library for another
# MPI. The program must run as usual, nothing must be recorded, and one line must name the right library.
set -u
program=$1 library=$2 right=$3 work=$4
shift 4
rm -rf "$work"
mkdir -p "$work" || exit 2
export APMT_DIR="$work/recorded"
unset APMT_QUIET
"$@" env LD_PRELOAD="$library" "$program" > "$work/out" 2> "$work/err"
code=$?
cat "$work/out" "$work/err"
[ $code -eq 0 ] || { echo "the program ended with code $code"; exit 1; }
[ ! -e "$work/recorded" ] || { echo "something was recorded"; exit 1; }
[ ! -s "$work/out" ] || { echo "something was printed on stdout"; exit 1; }
[ "$(grep -c . "$work/err")" -eq 1 ] || { echo "not one line"; exit 1; }
grep -q "needs $right" "$work/err" || { echo "$right is not named"; exit 1; }
rm -rf "$work"
