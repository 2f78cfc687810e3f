# Records on a processor for which the installed PAPI has no presets: the recorder must use the kernel's own
# names of events.
set -u
. ./record.sh
. ./doctor.sh
echo 1 >/proc/sys/kernel/perf_event_paranoid
record no-presets -- known_loop 100
doctor doctor
