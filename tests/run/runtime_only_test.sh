#!/usr/bin/env bash
# runtime_only_test.sh ROOT: checks that the libraries that profiled programs preload build alone, without any library
# that the offline code needs, and have only the dependencies and exports that a preloaded library may have.
set -euo pipefail

root=${1:?usage: runtime_only_test.sh ROOT}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { cat "$scratch/log" && printf 'FAILED: %s\n' "$@" && exit 1; }

absent=()
for package in Ceres CLI11 GTest Eigen3 benchmark fmt nlohmann_json spdlog yaml-cpp; do
  absent+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
done
cmake -S "$root" -B "$scratch/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DAPMT_RUNTIME_ONLY=ON "${absent[@]}" \
  >"$scratch/log" 2>&1 || fail "does not configure"
cmake --build "$scratch/build" --parallel 2 >"$scratch/log" 2>&1 || fail "does not build"
bash "$root/tests/layering/check_library.sh" "$scratch/build/lib"
