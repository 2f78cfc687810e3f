# Records in a machine with an event that can be added but always reads 0.
set -u
. ./record.sh
. ./doctor.sh
echo 1 >/proc/sys/kernel/perf_event_paranoid
# The recording is repeated if the calibration of the recorder got no sample. This happens if the host gives the
# emulator no processor for a while: the guest's clock runs on although the guest executes nothing, and no sample
# arrives in the time for which the calibration waits.
for ((i = 0; i < 20; ++i)); do
  rm -rf results/reads-zero
  record reads-zero -- known_loop 100
  grep -aqs 'delivers no sample' results/reads-zero/*/rank-*.apmt || break
done
doctor doctor
