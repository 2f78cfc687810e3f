#!/usr/bin/env bash
# series.sh DIR [TIMES] <LIST: compares predictions of compute time with and without simulated counters. Each line of
# LIST is
#   NAME | processes to learn from | processes to predict | COMMAND...
# where {p} stands for the process count. A model is fitted to one run per count, once without and once with the
# instructions that callgrind counts. This is repeated TIMES times (default 5); repetitions are not averaged before the
# fit. There may be more ranks than cores, because compute time is CPU time.
# The runs stay in DIR; existing runs are not repeated. Prints a table. The programs of LIST are not part of apmt.
set -euo pipefail
work=${1:?usage: series.sh DIR [TIMES] <LIST}
times=${2:-5}
export PATH=${APMT_BUILD_DIR:+$APMT_BUILD_DIR/bin:}$PATH
mkdir -p "$work"

while IFS='|' read -r name train test command; do
  name=${name// /}
  [[ -n $name && $name != \#* ]] || continue
  echo "$name" >&2
  # shellcheck disable=SC2086  # words of a command
  run() { apmt -qq run --procs "$1" --reps "$2" --any-command -d "$3" -- $command </dev/null >/dev/null; }
  run "${test// /}" 3 "$work/$name.large"
  for ((i = 1; i <= times; ++i)); do
    plain=$work/$name.$i
    [[ -d $plain ]] || run "${train// /}" 1 "$plain"
    if [[ ! -d $plain.simulated ]]; then
      cp -r "$plain" "$plain.copy"
      apmt -qq simulate "$plain.copy" </dev/null
      mv "$plain.copy" "$plain.simulated"
    fi
    for model in "$plain" "$plain.simulated"; do
      apmt -qq validate "$work/$name.large" --model "$model" --same-program --json >"$model.json"
    done
  done
done

python3 - "$work" <<'END'
import collections, json, pathlib, statistics, sys

errors = collections.defaultdict(lambda: {"plain": [], "simulated": []})
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    kind = "simulated" if file.stem.endswith(".simulated") else "plain"
    for point in json.loads(file.read_text()):
        error = point["parts"]["comp_s"]["error"]
        errors[file.stem.split(".")[0], point["procs"]][kind].append(error)

def cell(values):
    each = ", ".join(f"{100 * e:+.0f}" for e in values)
    return f"{100 * statistics.mean(map(abs, values)):.1f} % ({each})"

print("| program | at | compute time without | with simulated counts |")
print("|---|---:|---|---|")
for (name, procs), of in sorted(errors.items()):
    print(f"| {name} | {procs} | {cell(of['plain'])} | {cell(of['simulated'])} |")
END
"$(dirname "$0")/../measured.sh" openmpi -- bench/simulated/series.sh DIR "$times" "<LIST"
