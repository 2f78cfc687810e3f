#!/usr/bin/env bash
# run.sh [--runs N] [--ci N]: measures how long a newcomer waits for ./run demo, for ./run test with the rest
# of the build, and for ./run build after the source file of one verb (a subcommand of apmt) has changed. Each
# run starts in a new bare Debian 12, without packages, caches or an earlier build; the three commands then
# run one after another. Prints a line for each command, and the medians of N runs (default 3). With --ci N,
# .ci/run is run N times instead, each time in a bare system. Needs root and mmdebstrap. Warnings are errors,
# as in .ci/run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
called=("$@")
runs=3
ci=0
while (($#)); do
  case $1 in
    --runs) runs=${2:?--runs wants a number} ;;
    --ci) ci=${2:?--ci wants a number} ;;
    *) echo "usage: run.sh [--runs N] [--ci N]" >&2 && exit 2 ;;
  esac
  shift 2
done
[[ $(id -u) == 0 ]] || { echo "SKIP: making a Debian system needs root" && exit 0; }
command -v mmdebstrap >/dev/null || { echo "SKIP: mmdebstrap is not installed" && exit 0; }

scratch=$(mktemp -d)
trap 'rm -rf --one-file-system "$scratch"' EXIT

# Use the package sources of this machine if it also runs Debian 12 (bookworm), and those of mmdebstrap otherwise.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
  if [[ -s $file ]] && grep -q bookworm "$file"; then sources=("$file"); fi
done
mmdebstrap --quiet --variant=minbase bookworm "$scratch/bare.tar" "${sources[@]}" </dev/null

# A clone has only the committed sources.
git clone -q --no-hardlinks "$root" "$scratch/clone"

fresh() { # a bare system with the clone in it
  rm -rf --one-file-system "$scratch/system"
  mkdir "$scratch/system"
  tar -C "$scratch/system" -xf "$scratch/bare.tar"
  cp -a "$scratch/clone" "$scratch/system/apmt"
  cp /etc/resolv.conf /etc/hosts "$scratch/system/etc/"
}

# inside SCRIPT: runs SCRIPT by bash in the bare system, in the clone's folder. Namespaces make sure that all its
# processes and mounts end with it.
inside() {
  # shellcheck disable=SC2016  # $1 and $2 are of the inner shells
  unshare --mount --pid --uts --fork --kill-child bash -euc '
    hostname bare
    mount -t proc proc "$1/proc"
    mount --rbind /sys "$1/sys"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
    exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
      APMT_WERROR=ON \
      chroot "$1" bash -euc "cd /apmt; $2"' inside "$scratch/system" "$1" </dev/null
}

median() { sort -n | awk '{a[NR] = $1} END {print NR % 2 ? a[(NR + 1) / 2] : (a[NR / 2] + a[NR / 2 + 1]) / 2}'; }

# timed NAME SCRIPT: runs SCRIPT in the bare system, prints its times, and appends its wall time in seconds to the file
# NAME.
timed() {
  local begun=$SECONDS log=$scratch/$1.log
  TIMEFORMAT='%U %S'
  if ! { time inside "$2" >"$log" 2>&1; } 2>"$scratch/cpu"; then
    grep -E -A 12 ': Failure|^Traceback|\*\*\*(Failed|Timeout|Exception)' "$log" | head -n 200
    tail -n 60 "$log"
    echo "FAILED after $((SECONDS - begun)) s: $2"
    return 1
  fi
  echo "$((SECONDS - begun))" >>"$scratch/$1"
  printf '%-14s %5d s  %5.0f s of CPU time  %s\n' "$1" "$((SECONDS - begun))" \
    "$(awk '{print $1 + $2}' "$scratch/cpu")" "$2"
}

printf 'commit %s, %d cores, load %s\n' "$(git -C "$root" rev-parse --short HEAD)" "$(nproc)" "$(cut -d ' ' -f 1 /proc/loadavg)"
if ((ci)); then
  for ((i = 0; i < ci; ++i)); do
    fresh
    timed ci .ci/run
    grep -E '^[0-9]+% tests passed|Total Test time|(passed|skipped|FAILED) +[0-9]+ s|^Not run|passed, .* failed|SKIP|Skipped' "$scratch/ci.log"
  done
else
  for ((i = 0; i < runs; ++i)); do
    fresh
    timed demo './run demo'
    timed test './run test'
    inside './run build' >"$scratch/build.log" 2>&1 # what neither the demo nor the fast tests have built
    timed changed-verb 'touch cli/predict.cpp; ./run build'
    grep -E '^[0-9]+% tests passed|Total Test time' "$scratch/test.log"
  done
  for name in demo test changed-verb; do
    printf 'median of %d: %-14s %5g s\n' "$runs" "$name" "$(median <"$scratch/$name")"
  done
fi
"$root/bench/measured.sh" -- bench/build/run.sh "${called[@]}"
