#!/usr/bin/env bash
# run.sh: compares the results of apmt calibrate on this machine with those of other programs, where they are installed:
# likwid-bench (Debian: likwid) for bandwidth, multichase (github.com/google/multichase, to be built by hand) for
# latency. The programs alternate for five rounds. The table has the best result of each, as in STREAM, because memory
# that is shared with other virtual machines is sometimes slower. The last column compares the medians. Needs a quiet
# machine for four minutes.
set -euo pipefail
build=${APMT_BUILD_DIR:?set by ./run bench}
rounds=5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

kind=_sse
grep -qw avx2 /proc/cpuinfo && kind=_avx
grep -qw avx512f /proc/cpuinfo && kind=_avx512

likwid() { # KERNEL BYTES THREADS: GB/s
  command -v likwid-bench >/dev/null || return 0
  # Huge pages, as in apmt calibrate, because with small pages prefetching stops at the end of each page.
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1 likwid-bench -t "$1$kind" -w "S0:$(($2 / 1000))kB:$3" 2>/dev/null |
    awk '/^MByte\/s/ { print $2 * 1e-3 }'
}

chase() { # BYTES: ns per load; each load waits for the previous one and reads another, random line; huge pages
  command -v multichase >/dev/null || return 0
  multichase -a -H -s 64 -m "$1" -T "$1" -n 3
}

# Measures each level of memory with the data sizes that apmt uses: L1 with half its size; other caches with three
# times the size of the level before, but at most three quarters of their own size; memory with far more than the last
# cache.
measure() {
  "$build/bin/apmt" -q calibrate -o "$work/machine.yaml" >/dev/null
  awk '/^- name:/ { name = $3; inner = size; size = 0 }
       /^  size_bytes:/ { size = $2; most = size * 3 / 4 }
       { gsub(/[\[,]/, "") }
       /^  latency_ns:/ { ns = $2 }
       /^  bandwidth_bytes_per_s:/ {
         at = size == 0 ? 268435456 : inner == 0 ? size / 2 : 3 * inner < most ? 3 * inner : most
         printf "%s %d %s %s\n", name, at, ns, $2 * 1e-9 }' "$work/machine.yaml" |
    while read -r name bytes ns rate; do
      echo "$name, one core: latency|ns|$ns|$(chase "$bytes")"
      echo "$name, one core: reading|GB/s|$rate|$(likwid load "$bytes" 1)"
    done
  awk '/^[a-z]/ { inside = $1 == "bandwidth_by_cores:" }
       inside && /^- / { gsub(/[\[\],]/, ""); print $2, $3 * 1e-9 }' "$work/machine.yaml" |
    while read -r cores rate; do
      words="$cores cores" && [[ $cores != 1 ]] || words="1 core"
      echo "memory, $words: a = b + s*c|GB/s|$rate|$(likwid stream 384000000 "$cores")"
    done
}

for ((round = 0; round < rounds; ++round)); do measure; done >"$work/all"

printf '| %-31s | %-4s | %8s | %8s | %10s | %10s |\n' "" unit apmt other difference "of medians"
echo '|---|---|---|---|---|---|'
cut -d'|' -f1,2 "$work/all" | awk '!seen[$0]++' | while IFS='|' read -r what unit; do
  sorted() { grep -F "$what|$unit|" "$work/all" | cut -d'|' -f"$1" | sort -g; }
  which=$([[ $unit == ns ]] && echo 1 || echo '$') # the least time, the highest rate
  best() { sorted "$1" | sed -n "${which}p"; }
  median() { sorted "$1" | sed -n "$((rounds / 2 + 1))p"; }
  awk -v what="$what" -v unit="$unit" -v ours="$(best 3)" -v theirs="$(best 4)" \
    -v our_median="$(median 3)" -v their_median="$(median 4)" 'BEGIN {
    printf "| %-31s | %-4s | %8.2f |", what, unit, ours
    if (theirs > 0)
      printf " %8.2f | %+8.1f %% | %+8.1f %% |\n", theirs, 100 * (ours / theirs - 1),
        100 * (our_median / their_median - 1)
    else printf " %8s | %10s | %10s |\n", "-", "", "" }'
done
"$(dirname "$0")/../measured.sh" -- bench/machine/run.sh
