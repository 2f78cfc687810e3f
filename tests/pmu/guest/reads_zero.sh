# An event that can be added, and stays 0.
set -u
. ./record.sh
. ./doctor.sh
echo 1 >/proc/sys/kernel/perf_event_paranoid
record reads-zero -- known_loop 100
doctor doctor
