#!/usr/bin/env bash
# make_outputs.sh BUILD_DIR FOLDER: writes the output of every verb that has --json, and the files that apmt
# makes, as KIND.*.json below FOLDER. The data come from one small campaign on a simulated cluster, one program
# without MPI, and imported measurements.
set -euo pipefail
build=${1:?usage: make_outputs.sh BUILD_DIR FOLDER}
folder=$2
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[[ -x $build/examples/smpi/halo2d ]] || { echo "SKIP: no SimGrid, so no example for simulated clusters" && exit 77; }
export PATH=$build/bin:$PATH
# Long enough for samples in its kernels, even where the clock interrupts only every 4 ms.
program=("$build/examples/smpi/halo2d" 801 200)
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"

fails_with() { # CODE COMMAND...
  local wanted=$1 code=0
  shift
  "$@" || code=$?
  ((code == wanted)) || { echo "FAILED: exit code $code, not $wanted: $*" >&2 && exit 1; }
}

apmt -q run --virtual ethernet-10g --procs 2,4,8 --reps 2 -- "${program[@]}"
apmt -q run --virtual ethernet-10g --procs 16 --reps 1 --dir large -- "${program[@]}"
cp -r apmt-halo2d after
cp -r apmt-halo2d refined

apmt fit apmt-halo2d --json >model.fit.json
apmt info apmt-halo2d/model.json --json >model.info.json
apmt info apmt-halo2d --json >profiles.info.json
apmt info apmt-halo2d/apmt-halo2d.p4.r1 --json >profile.info.json
apmt predict apmt-halo2d --procs 32 --json >prediction.one.json
apmt predict apmt-halo2d --procs 4,4096 --cores-per-node 8 --deadline 1 --json >prediction.what-if.json
apmt report apmt-halo2d --procs 32 --json >report.json
apmt validate large --model apmt-halo2d --json >validation.json
apmt ask apmt-halo2d --deadline 1000 --json >answer.json
fails_with 4 apmt check apmt-halo2d --at 32 --max-time 100 --min-efficiency 0.99 --json >check.json
fails_with 1 apmt export apmt-halo2d >/dev/full
for_hatchet() { # EXPERIMENT RUNS: hatchet.EXPERIMENT-N.json, a file for each run
  local folder files=0
  folder=$(mktemp -d)
  apmt -q export "$1" --format hatchet --to "$folder"
  for file in "$folder"/*.json; do
    ((files += 1))
    mv "$file" "hatchet.$1-$files.json"
  done
  rm -r "$folder"
  ((files == $2)) || { echo "FAILED: $files files, not one for each run of $1" >&2 && exit 1; }
}
for_hatchet apmt-halo2d 6
apmt info apmt-halo2d/apmt-halo2d.p4.r1 --hatchet >hatchet.info.json
apmt info apmt-halo2d/apmt-halo2d.p4.r1 --speedscope >speedscope.json
apmt history apmt-halo2d after --json >report.history.json
apmt diff apmt-halo2d after --json >difference.json
apmt refine --plan -d apmt-halo2d --json >refinement.plan.json
fails_with 4 apmt refine -d refined --target-error 0.000001% --budget 0.000001 --at 16 --virtual ethernet-10g --json \
  -- "${program[@]}" >refinement.loop.json
apmt doctor --no-self-test --json >doctor.json || (($? == 1)) # a check is bad where there is no MPI
apmt calibrate --show archer2 --json >machine.json
apmt -q calibrate --virtual ethernet-10g --procs 2 -o measured.yaml --json >machine.measured.json
apmt learn import --json >learned-data.json
apmt -q learn validate --device gtx1080 --learner nnge --split one-application --times --json >learned-validation.json
apmt -q learn train --learner nnge -o learned-model.json --json >learned-model.printed.json
apmt -q learn collect "$build/share/apmt/configs/learned/aiwc.csv" --analysis \
  "$sources/tests/unit/learned/data/opencl.analysis.json" --kernel product --application own \
  --input small --suite own --time gtx1080=0.002 -o collected.csv --json >learned-data.collected.json
sed -n 's/^# \?//p' "$build/share/apmt/configs/learned/aiwc.csv" >learned-table.shipped.json # from the table's comments
sed -n 's/^# \?//p' collected.csv >learned-table.collected.json
apmt advise "$build/share/apmt/configs/learned/aiwc.csv" --kernel lud/lud_diagonal/tiny --json >advice.json
apmt advise "$sources/tests/unit/learned/data/opencl.analysis.json" --json >advice.analysis.json
# The features of a kernel: the example in docs/learned.md, and a whole file that apmt advise reads.
sed -n '/"apmt-kernel-features"/,/}}/p' "$sources/docs/learned.md" >kernel-features.example.json
python3 - "$build/share/apmt/configs/learned/aiwc.csv" >kernel-features.whole.json <<'END'
import csv, json, sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
definitions = json.loads("\n".join(line[1:] for line in lines if line.startswith("#")))["definitions"]
kernel = next(csv.DictReader(line for line in lines if not line.startswith("#")))
json.dump({"format": "apmt-kernel-features", "format_version": "1.0", "kernel": kernel["kernel"],
           "definitions": {name: definitions[name] for name in ("name", "version")},
           "features": {f["name"]: float(kernel[f["name"]]) for f in definitions["features"]}}, sys.stdout)
END
apmt advise kernel-features.whole.json --json >advice.features.json
apmt --version --json >version.json
apmt_analysed_kernels >analysis.json
apmt calibrate --show gtx1080 --json >device.json
apmt match analysis.json --device gtx1080 --device i7-6700k --device firepro-s9150 --device archer2 --data once --json \
  >match.json
apmt match analysis.json --device convey-hc1 --method pmac --json >match.pmac.json
{
  cat "$sources/tests/kernels/cards/accelerator.yaml"
  echo "levels:"
  echo "- {name: L1, size_bytes: {value: 32768, from: planted}, bytes_per_s: {value: 1.0e12, from: planted}}"
  echo "- {name: memory, bytes_per_s: {value: 1.0e11, from: planted}}"
  echo "idioms:"
  for idiom in stream gather reduction stencil; do
    echo "  $idiom: {from: planted, points: [[8, 1.0e11, 0]]}"
  done
} >with-idioms.yaml
apmt match analysis.json --host with-idioms.yaml --device convey-hc1 --device with-idioms.yaml --method pmac \
  --coverage 0.5 --data per-step --steps 100 --overlap --json >match.host.json

# Gives two runs the analysis of another program. In this analysis, the kernel gets the name of a kernel of these runs.
cp -r after analysed
python3 - <<'END'
import glob, json
analysis = json.load(open("analysis.json"))
kernel = next(k for k in analysis["kernels"] if k["locality"] and k["mix"]["loads"])
function = "jacobi_sweep"
kernel.update(function=function, name=function, file="")
scope = {"function": function, "file": "", "line": 1, "inlined_into": [], "mix": kernel["mix"]}
for procs in (2, 8):
    analysis.update(kernels=[kernel], scopes=[scope], processes=procs, program="halo2d 801 200")
    json.dump(analysis, open(glob.glob(f"analysed/*.p{procs}.r1")[0] + "/analysis.json", "w"))
END
apmt -q offload analysed --device "$sources/tests/kernels/cards/accelerator.yaml" --procs 4,64 --per-node 2 --speedup 1.5 \
  --json >offload.json
apmt -q offload analysed --device archer2 --procs 4 --json >offload.cpu.json

if command -v clang-19 >/dev/null && apmt -q analyze cc --version >/dev/null 2>&1; then
  echo 'int main(int argc, char** argv) { double s = 0; for (int i = 1; i < 100 + argc; ++i) s += 1.0 / i; return s < 0; }' \
    >harmonic.c
  apmt -q analyze cc -O1 harmonic.c -o harmonic
  apmt -q analyze -o analysis.written.json --json -- ./harmonic >analysis.printed.json
fi

# Golden files, which unit tests compare byte by byte with their JSON, and a shipped analysis.
cp "$sources/tests/golden/profile/full.json" profile.full.json
cp "$sources/tests/golden/profile/plain.json" profile.plain.json
cp "$sources/tests/golden/reports/report.json" report.golden.json
cp "$sources/configs/kernels/reference.json" analysis.reference.json

# The shipped YAML files as JSON; the format that a file states is its kind.
while read -r file; do
  kind=$(sed -n 's/^format: *apmt-//p' "$file")
  yaml_as_json "$file" >"$kind.shipped-$(basename "$file" .yaml).json"
done < <(find "$sources/configs" -name '*.yaml')
# The settings of apmt serve that docs/service.md shows.
sed -n '/^format: apmt-service/,/^```/{/^```/!p}' "$sources/docs/service.md" >service.yaml
yaml_as_json service.yaml >service.documented.json
[[ -s laws.shipped-laws.json && -s cluster.shipped-ethernet-10g.json ]] || { echo "FAILED: configs are missing" >&2 && exit 1; }

# One rank, without MPI.
apmt -q record -d alone -- awk 'BEGIN { for (i = 0; i < 1000000; ++i) x += i % 7 }'
apmt analyze --join alone --json analysis.json >analysis-join.json
# Imported totals.
for procs in 2 4 8 16; do
  for repetition in 1 2; do
    echo '{"params": {"p": '$procs'}, "callpath": "main", "metric": "time", "value": '$((96 / procs + repetition))'}'
  done
done >totals.jsonl
apmt -q import totals.jsonl --dir totals
for_hatchet totals 8
apmt fit totals --json >model.totals.json
apmt predict totals --procs 64 --json >prediction.totals.json
# Imported call paths, some of them in MPI.
for procs in 2 4; do
  for path in "main $((8 / procs))" "main->solve $((80 / procs))" "main->solve->MPI_Allreduce 0.$procs"; do
    echo '{"params": {"p": '$procs'}, "callpath": "'"${path% *}"'", "metric": "time", "value": '"${path##* }"'}'
  done
done >paths.jsonl
apmt -q import paths.jsonl --dir paths
for_hatchet paths 2
grep -q MPI_Allreduce hatchet.paths-1.json || { echo "FAILED: the time in MPI is lost" >&2 && exit 1; }
