#!/usr/bin/env bash
# scenarios_test.sh imported|recorded|planted|profiled APMT EXAMPLES PLANTED_MODEL: compares the predictions of an HTML
# report's sliders with `apmt predict` in random scenarios. Skipped if node is not installed. The models are:
#     imported  kernels at three problem sizes, repeated with added noise
#     recorded  halo2d on Open MPI, with counts of messages
#     planted   the model of planted_model.cpp, in which every what-if has an effect
#     profiled  the same model, with the profile of the machine that made its runs
set -euo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
command -v node >/dev/null || { echo "SKIPPED: node is not installed"; exit 77; }
folder=$(mktemp -d)
trap '"$here/../keep_json.sh" "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
if [[ $1 == imported ]]; then
  scenarios=1000
  node -e '
    let state = 1;  // of a noise of some percent
    const noise = () => 1 + 0.03 * ((state = state * 48271 % 2147483647) / 1073741823 - 1);
    const paths = { sweep: (p, n) => 2e-6 * n * n / p, border: (p, n) => 3e-5 * n / Math.sqrt(p),
      setup: () => 0.2, MPI_Allreduce: p => 0.01 * Math.log2(p) + 0.002,
      MPI_Isend: (p, n) => 1e-4 + 4e-6 * n / Math.sqrt(p) };
    for (const [callpath, time] of Object.entries(paths))
      for (const n of [1000, 1400, 2000])
        for (const p of [4, 8, 16])
          console.log(JSON.stringify({ params: { p, n }, callpath: "main->" + callpath, metric: "time",
            value: [1, 2, 3].map(() => time(p, n) * noise()) }));
  ' >measured.jsonl
  "$2" import measured.jsonl --dir study
elif [[ $1 == recorded ]]; then
  scenarios=500
  program=$3/openmpi/halo2d
  [[ -x $program ]] || { echo "SKIPPED: no Open MPI"; exit 77; }
  "$2" run --procs 1,2,4 --reps 1 --set n=300 -d study -- mpirun.openmpi -np '{p}' "$program" '{n}' 60
else
  scenarios=1000
  "$4" model.json
  "$here/machine_profile.sh" >here.yaml
fi
case $1 in
  imported) knobs=frequency ;;
  recorded) knobs=any ;;  # which effects can be separated in so small a run varies
  *) knobs="latency bandwidth frequency memory latency memory bandwidth" ;;
esac
profile=()
if [[ $1 == imported || $1 == recorded ]]; then
  "$2" fit study
  "$2" report study --html page.html
  cp study/model.json model.json
else
  [[ $1 == planted ]] || profile=(here.yaml)
  "$2" report model.json ${profile:+--profiled-on "${profile[0]}"} --html page.html
fi
node "$here/scenarios_test.js" "$2" model.json page.html "$scenarios" 7 "$knobs" "${profile[@]}"
