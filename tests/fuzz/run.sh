#!/usr/bin/env bash
# run.sh SECONDS [FUZZER...]: runs each fuzzer (default: all) for SECONDS, under ASan and UBSan and with at most 512 MB.
# It keeps the inputs that it finds in build/fuzz/corpus; the next run starts from them. Exit code 77 (skipped) where
# clang or its fuzzer runtime is missing.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
seconds=${1:?seconds for each fuzzer}
shift
fuzzers=("$@")
((${#fuzzers[@]})) || fuzzers=(recording object callgrind yaml profile model foreign kernels analysis learned notes requests)
build=build/fuzz

command -v clang++ >/dev/null || { echo "SKIP: clang++ is not installed"; exit 77; }
mkdir -p "$build/corpus"
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' >"$build/probe.cpp"
clang++ -fsanitize=fuzzer,address "$build/probe.cpp" -o "$build/probe" 2>/dev/null ||
  { echo "SKIP: clang's fuzzer runtime (libclang-rt-dev) is not installed"; exit 77; }
cmake --preset fuzz >"$build/configure.log" || { cat "$build/configure.log"; exit 1; }
if ! grep -q fuzz_requests "$build/build.ninja"; then
  for i in "${!fuzzers[@]}"; do [[ ${fuzzers[i]} != requests ]] || unset "fuzzers[i]"; done
  echo "SKIP: requests, which needs apmt serve (apt-get install libboost-dev libsqlite3-dev libssl-dev)"
  ((${#fuzzers[@]})) || exit 77
fi
seeders=()
[[ " ${fuzzers[*]} " != *" recording "* ]] || seeders+=(fuzz_seed_recording)
[[ " ${fuzzers[*]} " != *" model "* ]] || seeders+=(planted_model)
[[ " ${fuzzers[*]} " != *" kernels "* ]] || seeders+=(fuzz_seed_kernels)
[[ " ${fuzzers[*]} " != *" learned "* ]] || seeders+=(fuzz_seed_learned)
[[ " ${fuzzers[*]} " != *" analysis "* ]] || seeders+=(apmt_analysed_kernels)
[[ " ${fuzzers[*]} " != *" requests "* ]] || seeders+=(fuzz_seed_requests)
cmake --build "$build" --target "${fuzzers[@]/#/fuzz_}" "${seeders[@]}"

seeds() { # seeds FUZZER: puts the files with which the fuzzer begins into its corpus
  local to=$build/corpus/$1 file kind
  mkdir -p "$to"
  cp -n tests/fuzz/seeds/"$1"* "$to"/ 2>/dev/null || true
  case $1 in
    recording) "$build/bin/fuzz_seed_recording" "$to/seed.apmt" ;;
    profile) cp -n tests/golden/profile/*.json "$to" ;;
    model) [[ -f $to/planted.json ]] || "$build/bin/planted_model" "$to/planted.json" ;;
    kernels) "$build/bin/fuzz_seed_kernels" "$to" ;;
    analysis) [[ -f $to/small.json ]] || "$build/bin/apmt_analysed_kernels" >"$to/small.json" ;;
    learned) "$build/bin/fuzz_seed_learned" "$to" ;;
    requests) "$build/bin/fuzz_seed_requests" "$to" ;;
    yaml) cp -n configs/*/*.yaml configs/*.yaml "$to" ;;
    object)
      # Small libraries with everything that the reader uses: symbols, unwind tables, lines, an inlined function.
      echo 'static inline int twice(int x) { return x * 2; } namespace n { int f(int x) { return twice(x) + 1; } }' >"$build/object.cpp"
      for kind in "-g" "-g -gdwarf-4" "-g -gz" "-s"; do
        # shellcheck disable=SC2086  # a kind may be several options
        g++ -O2 $kind -shared -nostdlib -fPIC -Wl,--build-id "$build/object.cpp" -o "$to/seed${kind// /}.so"
      done
      ;;
  esac
}

# fuzz_requests keeps its store in memory, because on a disk each change would wait for a write.
TMPDIR=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
failed=()
for fuzzer in "${fuzzers[@]}"; do
  seeds "$fuzzer"
  echo "== $fuzzer, $seconds s"
  options=()
  # By default libFuzzer computes weights that favour inputs with rare branches. A whole service has so many branches
  # that computing the weights takes longer than trying the inputs.
  [[ $fuzzer != requests ]] || options=(-entropic=0)
  (cd "$build/corpus" && ASAN_OPTIONS=quarantine_size_mb=8:detect_leaks=1 "../bin/fuzz_$fuzzer" -max_total_time="$seconds" \
    -rss_limit_mb=512 -malloc_limit_mb=256 -timeout=60 -max_len=65536 -print_final_stats=1 -verbosity=0 \
    "${options[@]}" -artifact_prefix="$fuzzer-" "$fuzzer") || failed+=("$fuzzer")
done
((${#failed[@]} == 0)) || { echo "failed: ${failed[*]}; the inputs are in $build/corpus"; exit 1; }
