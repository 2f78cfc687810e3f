#!/usr/bin/env bash
# rest.sh [--within MINUTES] [--tolerate PATTERN] [--except PART] [--list] [PART...]: runs the tests that a plain `./run
# test` leaves out, part by part (./run test --rest); without PART all parts, except that of --except. Each part
# installs the packages that it needs. The part that passed longest ago runs first. --within starts only parts that
# should end within MINUTES of the script's start, and prints those that it did not start. The failure of a part whose
# name matches --tolerate (such as 'fuzz-*') is printed, but the script still exits with 0. --list prints the parts in
# the order in which they would run. The last line counts the parts by result.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
build=${APMT_BUILD_DIR:-$root/build/release}
logs=$root/build/parts                # PART.log: output of the last run
passes=${APMT_PARTS_PASSED:-$logs}    # PART.passed: the time of this empty file is that of the last success

names=()
declare -A minutes packages commands
part() { # part NAME MINUTES "PACKAGES" COMMAND; MINUTES is its duration on two cores, including the build
  names+=("$1")
  minutes[$1]=$2
  packages[$1]=$3
  commands[$1]=$4
}

kept=$build/kept-json # copies of the JSON that tests print or write

labelled() { # runs tests; their JSON must conform to the schemas
  rm -rf "$kept" && mkdir -p "$kept" &&
    APMT_KEEP_JSON=$kept ctest --test-dir "$build" --output-on-failure --no-tests=error -j"$(nproc)" "$@" &&
    { [[ -z $(ls "$kept") ]] || python3 tests/schemas/validate.py docs/schemas "$kept" --any; }
}

making_json() { # runs tests that must print or write some JSON
  labelled "$@" && [[ -n $(ls "$kept") ]]
}

every_json() { # the quick tests that print or write JSON
  making_json -L '^(unit|full)$' -LE '^more$' && making_json -L '^mpi$' -R '^[A-Z]' &&
    making_json -R '^(report[.]formats|browser[.](history|planted|scenarios[.].*)|kernels[.].*)$'
}

serviced() { # builds apmt serve, then runs tests of it
  cmake --preset release &&
    cmake --build --preset release \
      --target cli/all pmpi-shim/all examples/all tests/unit/service/all tests/service/all &&
    labelled "$@"
}

sanitized() { # sanitized PRESET TARGET LABELS: builds unit tests with a sanitizer, and runs those with the labels
  cmake --preset "$1" && cmake --build --preset "$1" --target "$2" && ctest --preset "$1" -L "$3" -j"$(nproc)"
}

only_skips() { # only_skips LOG: whether ctest ran tests, all of which were skipped
  grep -qE '^ *[0-9]+/[0-9]+ Test .*Skipped' "$1" && ! grep -qE '^ *[0-9]+/[0-9]+ Test .*(Passed|Failed)' "$1"
}

part full 8 "" "labelled -L '^(full|install)$' -LE '^more$'"
part more 8 "bindfs fuse3 btrfs-progs" "labelled -L '^more$' -LE '^(docs|long)$'"
part transcripts 4 "" "labelled -L '^docs$'"
part browser 8 "chromium nodejs tidy python3-html5lib" "labelled -L '^browser$'"
part schemas 10 "" "every_json"
part package 10 "mmdebstrap rpm dpkg-dev file zsh fish" \
  "labelled -L '^package$' && labelled -R '^install.manual.(zsh|fish)$'"
part container 15 "mmdebstrap buildah" "labelled -L '^container$'"
part peers 2 "weka libsvm-tools" "labelled -L '^peers$'"
part machines 8 "clang nlohmann-json3-dev g++-aarch64-linux-gnu qemu-user-static" "tests/learned/other_machines.sh"
oclgrind="oclgrind liboclgrind-dev llvm-14-dev opencl-c-headers ocl-icd-libopencl1 pocl-opencl-icd"
part kernels 6 "clang-19 flang-19 llvm-19-dev libclang-rt-19-dev libomp-19-dev $oclgrind" \
  "cmake --preset release && cmake --build --preset release && labelled -L '^kernels$'"
service="libboost-dev libsqlite3-dev libssl-dev libpqxx-dev postgresql openssl"
part service 15 "$service chromium nodejs curl nginx-light systemd python3-yaml" "serviced -L '^service$'"
part slurm 4 "$service slurmctld slurmd slurm-client munge curl" "serviced -L '^slurm$'"
part service-kills 10 "$service" "serviced -R '^service.kills.two_hundred'"
part service-soak 70 "$service" "serviced -R '^service.soak.hour$'"
part service-soak-postgresql 70 "$service" "serviced -R '^service.soak.hour_on_postgresql$'"
part service-replays 4 "$service libsimgrid-dev" \
  "cmake --preset release && cmake --build --preset release && labelled -R '^service.replayed_campaign.ten$'"
part counters 6 "mmdebstrap qemu-system-arm e2fsprogs cpio g++-aarch64-linux-gnu" "labelled -L '^pmu$'"
part asan 15 "" "sanitized asan fast_unit_tests '^unit$'"
part asan-full 15 "$service" "sanitized asan unit_tests '^sanitized$'"
part tsan 8 "" "sanitized tsan threaded_tests '^(unit|sanitized)$'"
for fuzzer in recording object callgrind yaml profile model foreign kernels analysis learned notes; do
  part "fuzz-$fuzzer" 8 "clang libclang-rt-14-dev" "tests/fuzz/run.sh 300 $fuzzer"
done
part fuzz-requests 10 "clang libclang-rt-14-dev libboost-dev libsqlite3-dev libssl-dev" "tests/fuzz/run.sh 300 requests"
part kills 8 "" "labelled -R '^inject.(killed|launches).two_hundred$'"
part interruptions 3 "" "labelled -R '^interrupted_campaign_often$'"
part mutations 18 "" "tests/mutations/mutate.py"
part first-paint 4 "chromium nodejs" "labelled -R '^browser.large.first_paint$'"

within="" tolerated="" except="" list=no chosen=()
while (($#)); do
  case $1 in
    --within) within=${2:?--within wants minutes} && shift ;;
    --tolerate) tolerated=${2:?--tolerate wants a pattern} && shift ;;
    --except) except=${2:?--except wants the name of a part} && shift ;;
    --list) list=yes ;;
    *)
      [[ -n ${minutes[$1]:-} ]] || { echo "there is no part '$1'; --list shows them" >&2; exit 2; }
      chosen+=("$1")
      ;;
  esac
  shift
done
if ((${#chosen[@]} == 0)); then
  for name in "${names[@]}"; do [[ $name == "$except" ]] || chosen+=("$name"); done
fi

# Prints the chosen parts, the one that passed longest ago (or never) first. If no part has passed yet, as in a clean
# clone, the first part depends on the commit, so that over many commits each part gets its turn.
in_order() {
  local count=${#chosen[@]} first i name
  first=$((16#$(git rev-parse --short=7 HEAD 2>/dev/null || echo 0) % count))
  for ((i = 0; i < count; ++i)); do
    name=${chosen[(first + i) % count]}
    printf '%s %s\n' "$(stat -c %Y "$passes/$name.passed" 2>/dev/null || echo 0)" "$name"
  done | sort -s -n -k 1,1 | cut -d ' ' -f 2
}

if [[ $list == yes ]]; then
  for name in $(in_order); do printf '%-16s %2d min  %s\n' "$name" "${minutes[$name]}" "${packages[$name]}"; done
  exit 0
fi

install_packages() { # install_packages NAME...: installs the missing ones; fails if that is not possible
  local package missing=() as_root=()
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  [[ $(id -u) == 0 ]] || as_root=(sudo -n)
  local get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
  local install=(install -y --no-install-recommends -o Dpkg::Use-Pty=0 "${missing[@]}")
  "${get[@]}" "${install[@]}" </dev/null || { "${get[@]}" update && "${get[@]}" "${install[@]}"; } </dev/null
}

mkdir -p "$logs" "$passes"
passed=() failed=() skipped=() unrun=() forgiven=0
for name in $(in_order); do
  if [[ -n $within ]] && ((SECONDS / 60 + minutes[$name] > within)); then
    unrun+=("$name")
    continue
  fi
  log=$logs/$name.log
  started=$SECONDS
  # shellcheck disable=SC2086  # package names are words
  if ! install_packages ${packages[$name]} >"$log" 2>&1; then
    verdict=skipped
    skipped+=("$name")
    echo "SKIP: cannot install ${packages[$name]}" >>"$log"
  elif (eval "${commands[$name]}") >>"$log" 2>&1 </dev/null; then
    if only_skips "$log"; then
      verdict=skipped
      skipped+=("$name")
    else
      verdict=passed
      passed+=("$name")
      touch "$passes/$name.passed"
    fi
  else
    verdict=FAILED
    failed+=("$name")
    # shellcheck disable=SC2053  # a pattern
    [[ $name != $tolerated ]] || ((++forgiven))
  fi
  printf '%-16s %-8s %4d s\n' "$name" "$verdict" $((SECONDS - started))
  # The lines of tests that started or passed would hide why others failed.
  [[ $verdict == passed ]] ||
    sed -E '/^ +Start +[0-9]+: |^ *[0-9]+\/[0-9]+ Test .* Passed /d' "$log" | tail -n 60 | sed 's/^/  | /'
  grep -hE '\(Skipped\)|^SKIP' "$log" | sort -u | sed 's/^/  | /' || true
done
((${#unrun[@]} == 0)) || echo "Not run, for want of time: ${unrun[*]}"
((forgiven == 0)) || echo "$forgiven of the failures are in parts that may fail ($tolerated)"
((${#unrun[@]} == ${#chosen[@]})) || echo "${#passed[@]} passed, ${#failed[@]} failed, ${#skipped[@]} skipped"
((${#failed[@]} == forgiven))
