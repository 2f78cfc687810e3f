#!/bin/sh
# Runs one conformance program with a preloaded library. Compares each rank's recording with the calls that the program
# itself wrote down, and the recordings of the ranks with each other. Exit code 77: this MPI cannot run the program.
#
#   run_case.sh FAMILY RANKS LAUNCHER LIBRARY DUMP WORK_DIR PROGRAM [ARGUMENTS...]
set -u
family=$1 ranks=$2 launcher=$3 library=$4 dump=$5 work=$6
shift 6

rm -rf "$work"
mkdir -p "$work/expected" "$work/recorded" || exit 2
case $family in
  openmpi)
    set -- "$launcher" -np "$ranks" env LD_PRELOAD="$library" "$@"
    # If processes cannot map each other's memory, Open MPI 4.1 itself crashes in the atomics of osc/rdma.
    export OMPI_MCA_osc=^rdma
    ;;
  mpich) set -- "$launcher" -np "$ranks" env LD_PRELOAD="$library" "$@" ;;
  smpi)
    # The kind of network does not matter. Computation takes no simulated time, so that all runs of a program are alike.
    {
      echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
      echo '<platform version="4.1"><cluster id="c" prefix="node-" suffix="" radical="0-15" speed="1Gf"'
      echo '  bw="1GBps" lat="1us" sharing_policy="SPLITDUPLEX"/></platform>'
    } > "$work/platform.xml"
    for node in 0 1 2 3 4 5 6 7; do echo "node-$node"; done > "$work/hosts"
    set -- env LD_PRELOAD="$library" "$launcher" -np "$ranks" -platform "$work/platform.xml" -hostfile "$work/hosts" \
      --cfg=smpi/simulate-computation:no --log=root.thres:critical "$@"
    ;;
  *) echo "no such family: $family" >&2; exit 2 ;;
esac
APMT_DIR=$work/recorded APMT_RUN_ID=test APMT_QUIET=1 APMT_TEST_EXPECT=$work/expected
APMT_TEST_DIR=$work
export APMT_DIR APMT_RUN_ID APMT_QUIET APMT_TEST_EXPECT APMT_TEST_DIR

"$@" > "$work/output" 2>&1
code=$?
if [ $code -ne 0 ]; then
  cat "$work/output"
  echo "the program ended with code $code"
  exit $code
fi
if [ -s "$work/output" ]; then
  cat "$work/output"
  echo "the program was to print nothing"
  exit 1
fi

failed=0
rank=0
while [ $rank -lt "$ranks" ]; do
  name=$(printf 'rank-%05d' $rank)
  set -- "$work"/recorded/*/"$name"-*.apmt
  if [ ! -f "$1" ]; then
    echo "rank $rank: no recording"
    failed=1
  elif ! "$dump" "$1" "$work/expected/$name.txt" > "$work/difference-$rank"; then
    echo "rank $rank:"
    cat "$work/difference-$rank"
    failed=1
  fi
  rank=$((rank + 1))
done
if ! "$dump" --pairs "$work"/recorded/*/rank-*.apmt; then
  failed=1
fi
[ $failed -eq 0 ] && rm -rf "$work"
exit $failed
