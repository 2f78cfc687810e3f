#!/usr/bin/env bash
# places.sh [DIR]: predicts the time of messages and collectives of the examples on a simulated cluster with four
# processes on each node: from runs on 1 to 8 nodes, for 16 to 64 nodes; without and with a machine profile, which
# says what messages cost within a node and between nodes. Prints the table of PLACES.md; keeps the runs in DIR.
set -euo pipefail
build=${APMT_BUILD_DIR:?the folder that holds bin/apmt}
work=${1:-$(mktemp -d)}
export PATH=$build/bin:$build/examples/smpi:$PATH
mkdir -p "$work"
cd "$work"
[[ -e net.yaml ]] || apmt -qq calibrate --virtual archer2@4 --procs 16 -o net.yaml >/dev/null

record() { # DIRECTORY PROCS COMMAND...
  local dir=$1 procs=$2
  shift 2
  [[ -e $dir ]] || apmt -qq run --virtual archer2@4 --procs "$procs" --reps 2 -d "$dir" -- "$@" </dev/null >/dev/null
}

echo "| program | part | at | measured | without a profile | inside | with a profile | inside |"
echo "|---|---|---:|---:|---:|---|---:|---|"
while read -r name command; do
  # shellcheck disable=SC2086  # words of a command
  record "$name" 4,8,16,32 $command
  # shellcheck disable=SC2086
  record "$name-large" 64,128,256 $command
  for model in "$name-without" "$name-with"; do
    rm -rf "$model"
    cp -r "$name" "$model"
    if [[ $model == *-with ]]; then
      apmt -qq fit "$model" --machine net.yaml >/dev/null
    else
      apmt -qq fit "$model" >/dev/null
    fi
    apmt -qq validate "$name-large" --model "$model" --json >"$model.json"
  done
  python3 - "$name" <<'END'
import json, sys

name = sys.argv[1]
without, with_profile = ({p["procs"]: p["parts"] for p in json.load(open(f"{name}{kind}.json"))}
                         for kind in ("-without", "-with"))
for key, words in (("comm_p2p_s", "messages"), ("comm_coll_s", "collectives")):
    for procs in sorted(without):
        cells = []
        for parts in (without, with_profile):
            part = parts[procs].get(key)
            if not part or part["measured_s"] < 1e-6:
                break
            cells += [f"{100 * (part['predicted_s'] / part['measured_s'] - 1):+.0f} %",
                      "yes" if part["covered"] else "no"]
            measured = part["measured_s"]
        if len(cells) == 4:
            print("| " + " | ".join([name, words, str(procs), f"{1e6 * measured:.0f} us"] + cells) + " |")
END
done <<'END'
halo2d halo2d 1001 100
cg cg-poisson 512 60
transpose transpose 1024 20
END
