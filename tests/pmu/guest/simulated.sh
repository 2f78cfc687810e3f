# Records the same program with hardware counters and in callgrind.
set -u
. ./record.sh
echo 1 >/proc/sys/kernel/perf_event_paranoid
record counted APMT_EVENTS=PAPI_TOT_CYC:2000000,PAPI_TOT_INS:1000000 -- mixed 100
env APMT_DIR="$here/results/simulated" APMT_SIMULATE=whole APMT_SOURCE=none APMT_QUIET=1 APMT_TARGET="$here/mixed" \
  LD_PRELOAD="$here/libapmt-serial.so" valgrind -q --tool=callgrind --instr-atstart=no --demangle=no \
  --callgrind-out-file="$here/results/callgrind.out" "$here/mixed" 100 \
  >results/simulated.txt 2>results/simulated.err || echo "simulated: exit code $?"
