#!/usr/bin/env bash
# What apmt calibrate says of this machine, beside likwid-bench (Debian: likwid) where that is installed:
# reading at each level on one core, and a = b + s*c (STREAM's triad) on all. Wants a quiet machine.
set -euo pipefail
build=${APMT_BUILD_DIR:?set by ./run bench}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$build/bin/apmt" -q calibrate -o "$work/machine.yaml"
command -v likwid-bench >/dev/null || {
  echo "likwid-bench is not installed: nothing to compare with"
  exit 0
}

kind=_sse
grep -qw avx2 /proc/cpuinfo && kind=_avx
grep -qw avx512f /proc/cpuinfo && kind=_avx512

likwid() { # KERNEL BYTES THREADS: bytes/s
  likwid-bench -t "$1$kind" -w "S0:$(($2 / 1000))kB:$3" 2>/dev/null | awk '/^MByte\/s/ { print $2 * 1e6 }'
}

row() { # WHAT OURS THEIRS
  awk -v what="$1" -v ours="$2" -v theirs="$3" 'BEGIN {
    printf "%-28s %10.1f %10.1f %+9.1f %%\n", what, ours * 1e-9, theirs * 1e-9, 100 * (ours / theirs - 1) }'
}

echo
printf '%-28s %10s %10s %11s\n' "GB/s" apmt likwid-bench difference
# A level is measured where apmt does: L1 at half its size, others at three times the one before, memory far beyond.
awk '/^- name:/ { name = $3; inner = size; size = 0 }
     /^  size_bytes:/ { size = $2 }
     /^  bandwidth_bytes_per_s:/ {
       gsub(/[\[,]/, "")
       print name, $2, size == 0 ? 256000000 : inner == 0 ? size / 2 : 3 * inner
     }' "$work/machine.yaml" |
  while read -r name ours bytes; do
    row "$name, one core, reading" "$ours" "$(likwid load "$bytes" 1)"
  done
awk '/^[a-z]/ { inside = $1 == "bandwidth_by_cores:" } inside && /^- / { gsub(/[\[\],]/, ""); print $2, $3 }' \
  "$work/machine.yaml" |
  while read -r cores ours; do
    row "memory, $cores cores, triad" "$ours" "$(likwid stream 384000000 "$cores")"
  done
