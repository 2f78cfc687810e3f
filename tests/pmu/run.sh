#!/usr/bin/env bash
# run.sh [--no-install] [--victims]: tests the recorder with hardware counters that count, overflow and interrupt, in an
# emulated arm64 machine. Builds the preloaded libraries for it, records programs with known counts, and checks the
# recordings with this machine's reader (pmu_checks). Skips (exit code 77) if the packages are not available. --victims:
# also runs the programs of tests/victims with counters. Images are cached in ${APMT_PMU_CACHE:-~/.cache/apmt-pmu}. They
# take 750 MB; making them takes a minute the first time.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${APMT_BUILD_DIR:-$root/build/release}
cache=${APMT_PMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/apmt-pmu}
install=yes
victims=no
for argument in "$@"; do
  case $argument in
    --no-install) install=no ;;
    --victims) victims=yes ;;
    *) echo "usage: run.sh [--no-install] [--victims]" >&2 && exit 2 ;;
  esac
done

packages=(mmdebstrap qemu-system-arm e2fsprogs cpio g++-aarch64-linux-gnu)

skip() {
  echo "SKIP: $*"
  exit 77
}

missing_packages() {
  local package
  for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

get_packages() {
  local missing as_root=()
  command -v dpkg-query >/dev/null || skip "the emulated machine is made of Debian packages, which this system has not"
  mapfile -t missing < <(missing_packages)
  ((${#missing[@]})) || return 0
  [[ $install == yes ]] || skip "packages are missing: ${missing[*]}"
  if [[ $(id -u) != 0 ]]; then
    sudo -n true 2>/dev/null || skip "packages are missing: apt-get install --no-install-recommends ${missing[*]}"
    as_root=(sudo -n)
  fi
  echo "Installing ${missing[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
    "${missing[@]}" >"$work/install.log" 2>&1 </dev/null || skip "installing failed: $(tail -n 1 "$work/install.log")"
}

get_machine() {
  [[ -f $cache/recipe ]] || echo "Making the emulated machine in $cache (once, about a minute)"
  "$here/machine.sh" prepare "$cache" >"$work/prepare.log" 2>&1 ||
    skip "the emulated machine cannot be made: $(tail -n 1 "$work/prepare.log")"
}

build_libraries() {
  local mpi=$cache/sysroot/usr/lib/aarch64-linux-gnu/openmpi/include
  export APMT_PMU_SYSROOT=$cache/sysroot
  if ! grep -qs APMT_PMU_DOCTOR:.*=ON "$build/pmu-arm64/CMakeCache.txt"; then
    cmake -S "$root" -B "$build/pmu-arm64" -G Ninja -DCMAKE_BUILD_TYPE=Release -DAPMT_RUNTIME_ONLY=ON -DAPMT_PMU_DOCTOR=ON \
      -DCMAKE_TOOLCHAIN_FILE="$here/arm64.cmake" -DAPMT_OPENMPI_INCLUDE="$mpi" -DAPMT_MPICH_INCLUDE=OFF
  fi
  cmake --build "$build/pmu-arm64" --parallel 2
}

compile() { # SOURCE OUTPUT OPTION...
  local compiler=aarch64-linux-gnu-gcc
  [[ $1 == *.cpp ]] && compiler=aarch64-linux-gnu-g++
  "$compiler" --sysroot="$cache/sysroot" -O1 -g -D_GNU_SOURCE -o "$2" "$1" "${@:3}" -pthread
}

build_programs() { # FOLDER
  local source
  local mpi=$cache/sysroot/usr/lib/aarch64-linux-gnu/openmpi
  for source in "$here"/programs/*.c; do
    if [[ $source == */ranks.c ]]; then
      compile "$source" "$1/ranks" -I"$mpi/include" -L"$mpi/lib" -lmpi
    else
      compile "$source" "$1/$(basename "$source" .c)"
    fi
  done
}

# boot NAME CPU SCRIPT: runs guest/SCRIPT in the emulated machine, with all built files, in the folder $work/NAME.
boot() {
  local folder=$work/$1
  mkdir -p "$folder"
  cp "$build"/pmu-arm64/lib/libapmt-{serial,openmpi}.so "$work"/programs/* "$folder/"
  cp "$here"/guest/{record,doctor}.sh "$build/pmu-arm64/bin/pmu_doctor" "$folder/"
  cp -r "$root/configs" "$folder/"
  cp "$here/guest/$3" "$folder/run.sh"
  "$here/machine.sh" run "$cache" "$folder" "$2" || {
    echo "$1 failed in the emulated machine:" >&2
    cat "$folder.out/output.txt" >&2
    return 1
  }
}

[[ -x $build/bin/pmu_checks ]] || { echo "$build/bin/pmu_checks was not built" >&2 && exit 1; }
work=$build/pmu
rm -rf "$work"
mkdir -p "$work/programs"
get_packages
get_machine
build_libraries >"$work/build.log" 2>&1 || { tail -n 30 "$work/build.log" >&2 && exit 1; }
build_programs "$work/programs"

failed=0
boot counters cortex-a57 counters.sh || failed=1
boot no-presets neoverse-n1 no_presets.sh || failed=1
boot simulated cortex-a57 simulated.sh || failed=1
APMT_PMU_CLOCK=real boot reads-zero cortex-a57 reads_zero.sh || failed=1
if [[ $victims == yes ]]; then
  for source in "$root"/tests/victims/programs/*.c*; do
    compile "$source" "$work/programs/victim_$(basename "${source%.*}")" -ldl
  done
  cp "$root/tests/victims/compare.sh" "$work/programs/"
  boot victims cortex-a57 victims.sh || failed=1
  grep -c '^same ' "$work/victims.out/output.txt" | sed 's/$/ victims noticed nothing/'
fi
APMT_PMU_RESULTS=$work "$build/bin/pmu_checks" --gtest_brief=0 || failed=1
exit $failed
