# An event that can be added but always reads 0.
set -u
. ./record.sh
. ./doctor.sh
echo 1 >/proc/sys/kernel/perf_event_paranoid
# An emulator that gets no processor meanwhile lets the machine's clock go on without executing anything: then no
# sample arrives in the time that calibration has.
for ((i = 0; i < 20; ++i)); do
  rm -rf results/reads-zero
  record reads-zero -- known_loop 100
  grep -aqs 'delivers no sample' results/reads-zero/*/rank-*.apmt || break
done
doctor doctor
