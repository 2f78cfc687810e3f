# Sourced in the emulated machine. record NAME VARIABLE=VALUE... -- PROGRAM ARGUMENT...: records a serial program into
# results/NAME.
here=$PWD
record() {
  local name=$1 settings=()
  shift
  while [[ $1 != -- ]]; do
    settings+=("$1")
    shift
  done
  shift
  local program=$here/$1
  shift
  mkdir -p "$here/results"
  env "${settings[@]}" APMT_DIR="$here/results/$name" APMT_TARGET="$program" \
    LD_PRELOAD="$here/libapmt-serial.so" "$program" "$@" >"$here/results/$name.txt" 2>"$here/results/$name.err" ||
    echo "$name: exit code $?"
}
