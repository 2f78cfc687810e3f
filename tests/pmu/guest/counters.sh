# Records programs in a machine whose counters work, and then as a user who may not use the counters.
set -u
. ./record.sh
. ./doctor.sh
echo 1 >/proc/sys/kernel/perf_event_paranoid

record default -- known_loop 400
doctor doctor
record exact APMT_EVENTS=PAPI_TOT_CYC:2000000,PAPI_TOT_INS:1000000 -- known_loop 1000
record split APMT_EVENTS=PAPI_TOT_CYC:2000000 -- split
record threads APMT_EVENTS=PAPI_TOT_CYC:2000000 -- four_threads
record alternating APMT_EVENTS=perf::PAGE-FAULTS:100 -- faults
record meaning APMT_EVENTS=PAPI_TOT_CYC:2000000,PAPI_TOT_INS:1000000 \
  APMT_METRICS=cycles=+PAPI_TOT_CYC,stall=+PAPI_TOT_CYC-PAPI_TOT_INS,acc_mm=+NO_SUCH_EVENT -- known_loop 100
record too-fast APMT_EVENTS=PAPI_TOT_CYC:2000000,PAPI_TOT_INS:20000 -- known_loop 100
record absent APMT_EVENTS=PAPI_TOT_CYC:2000000,PAPI_BR_MSP:10000,NO_SUCH_EVENT:10000 -- known_loop 100
record task-clock APMT_SOURCE=task-clock APMT_INTERVAL_NS=2000000 -- known_loop 200
record timer APMT_SOURCE=posix-timer APMT_INTERVAL_NS=4000000 -- known_loop 200

# More events than counters: the processor has one counter for cycles and six for any event.
many=PAPI_TOT_CYC:2000000,PAPI_TOT_INS:1000000,perf::CYCLES:2000000,perf::INSTRUCTIONS:1000000
many+=,perf_raw::r08:1000000,perf_raw::r11:2000000,perf::PERF_COUNT_HW_CPU_CYCLES:2000000
many+=,perf::PERF_COUNT_HW_INSTRUCTIONS:1000000
record set-0 "APMT_EVENTS=$many" APMT_SET=0 -- known_loop 100
record set-1 "APMT_EVENTS=$many" APMT_SET=1 -- known_loop 100
record slices "APMT_EVENTS=$many" APMT_ROTATE=time -- known_loop 1000
record slices-split "APMT_EVENTS=$many" APMT_ROTATE=time -- split
record slices-threads "APMT_EVENTS=$many" APMT_ROTATE=time -- four_threads
record slices-short "APMT_EVENTS=$many" APMT_ROTATE=time -- known_loop 12

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader
ranks() { # NAME RANKS EVENTS
  mpirun.openmpi --oversubscribe -np "$2" env APMT_DIR="$here/results/$1" APMT_EVENTS="$3" \
    LD_PRELOAD="$here/libapmt-openmpi.so" "$here/ranks" >"results/$1.txt" 2>&1 || echo "$1: exit code $?"
}
ranks ranks-2 2 PAPI_TOT_CYC:2000000,PAPI_TOT_INS:1000000
ranks ranks-4 4 PAPI_TOT_CYC:2000000,PAPI_TOT_INS:1000000
ranks ranks-sets-2 2 "$many"
ranks ranks-sets-4 4 "$many"

for level in 3 4; do
  echo $level >/proc/sys/kernel/perf_event_paranoid
  chmod 777 results
  # Run as an ordinary user, because root may do everything.
  cat >as_user.sh <<EOF
cd "$here" && . ./record.sh && . ./doctor.sh
record denied-$level -- known_loop 100
doctor doctor-$level
EOF
  setpriv --reuid=1000 --regid=1000 --clear-groups bash as_user.sh
done
