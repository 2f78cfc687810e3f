#!/usr/bin/env bash
# run.sh BUILD_DIRECTORY SECONDS: fuzzes the reader of recordings with clang's libFuzzer under ASan and UBSan, with
# at most 256 MB. Ends with 77 (skipped) where clang or its fuzzer runtime is missing.
set -euo pipefail
source=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
mkdir -p "$1"
build=$(readlink -f "$1")
seconds=$2
command -v clang++ >/dev/null || { echo "SKIP: clang++ is not installed"; exit 77; }
flags=(-std=c++20 -O1 -g -I"$source" -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' >"$build/probe.cpp"
clang++ -fsanitize=fuzzer,address "$build/probe.cpp" -o "$build/probe" 2>/dev/null ||
  { echo "SKIP: clang's fuzzer runtime (libclang-rt-dev) is not installed"; exit 77; }

compile() { # compile SOURCE: into an object, again only when it changed
  local object
  object=$build/$(tr '/' '_' <<<"${1#"$source"/}").o
  if [[ ! -f $object || -n $(find "$source/base" "$source/profile" "$source/profiler" "$source/fitter" "$source/tests/fuzz" -newer "$object" -name '*.[hc]*' -print -quit) ]]; then
    clang++ "${flags[@]}" -c "$1" -o "$object"
  fi
  echo "$object"
}
readers=()
for file in "$source"/base/*.cpp "$source"/profile/*.cpp "$source"/profiler/reader/*.cpp; do readers+=("$(compile "$file")"); done

g++ -std=c++20 -I"$source" "$source/tests/fuzz/make_seed.cpp" "$source/profiler/runtime/recording_file.cpp" -o "$build/make_seed"
mkdir -p "$build/corpus"
"$build/make_seed" "$build/corpus/seed.apmt"
clang++ "${flags[@]}" -fsanitize=fuzzer "$(compile "$source/tests/fuzz/fuzz_recording.cpp")" "${readers[@]}" \
  -ldw -lelf -o "$build/fuzz_recording"
cd "$build"
ASAN_OPTIONS=quarantine_size_mb=8 ./fuzz_recording -max_total_time="$seconds" -rss_limit_mb=256 -malloc_limit_mb=256 -timeout=60 \
  -max_len=8192 -print_final_stats=1 -verbosity=0 corpus
