# Sourced in the emulated machine. doctor NAME: writes the doctor's results to results/NAME.json.
doctor() {
  ./pmu_doctor "$PWD/configs" "$PWD" >"results/$1.json" 2>"results/$1.err" || echo "$1: exit code $?"
}
