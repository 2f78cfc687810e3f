# The programs of tests/victims, recorded with hardware counters: their behaviour must not change.
set -u
echo 1 >/proc/sys/kernel/perf_event_paranoid
failed=0
for program in "$PWD"/victim_*; do
  name=$(basename "$program")
  if bash ./compare.sh "$program" "$PWD/libapmt-serial.so"; then
    echo "same $name"
  else
    echo "DIFFERENT $name"
    failed=1
  fi
done
exit $failed
