# A processor that this PAPI has no presets for: the kernel's own names of events serve.
set -u
. ./record.sh
. ./doctor.sh
echo 1 >/proc/sys/kernel/perf_event_paranoid
record no-presets -- known_loop 100
doctor doctor
