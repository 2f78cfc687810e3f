#!/usr/bin/env bash
# scale.sh [PROCESSES]: measures how large recordings of PROCESSES ranks (default 1,024) are: runs halo2d on that
# many nodes of a virtual cluster and prints the size of the largest recording of a rank, the size of the merged
# profile, and the time and memory that `apmt info` needs to read it.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run bench}")
export PATH=$build/bin:$build/examples/smpi:$PATH
procs=${1:-1024}
measured=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../measured.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
apmt -qq run --virtual ethernet-10g --procs "$procs" --reps 1 --dir runs -- halo2d 2001 100 </dev/null
run=$(echo runs/*.r1)
python3 - "$run" "$procs" <<'END'
import pathlib, resource, subprocess, sys, time
run = pathlib.Path(sys.argv[1])
ranks = [f.stat().st_blocks * 512 for f in run.glob("rank-*.apmt")]
start = time.monotonic()
subprocess.run(["apmt", "-qq", "info", run], stdout=subprocess.DEVNULL, check=True)
took = time.monotonic() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print("| ranks | recordings | largest of a rank | merged profile | apmt info | its memory |")
print("|---:|---:|---:|---:|---:|---:|")
print(f"| {sys.argv[2]} | {len(ranks)} | {max(ranks) / 1e6:.2f} MB | {(run / 'profile.json').stat().st_size / 1e6:.2f} MB | {took:.2f} s | {peak / 1e3:.0f} MB |")
END
"$measured" simgrid -- bench/virtual/scale.sh "$procs"
