#!/usr/bin/env bash
# demo.sh [OUTPUT_DIRECTORY]: shows the whole workflow once: small runs of an example, a prediction, and the large
# run that checks the prediction. The runs are made on a virtual cluster (docs/virtual-clusters.md), which has
# enough nodes on any machine. ./run demo builds the programs and calls this script.
set -euo pipefail
build=$(readlink -f "${APMT_BUILD_DIR:?set by ./run demo: the folder that holds bin/apmt}")
mkdir -p "${1:-demo-run}"
cd "${1:-demo-run}"
export PATH=$build/bin:$build/examples/smpi:$PATH

show() { # prints a command as one would type it, then runs it
  printf '\n$ %s\n' "$*"
  "$@"
}

rm -rf apmt-halo2d large
# The grid has 4001 points a side. With fewer points, an iteration on 256 nodes would be so short that noise on this
# machine would determine how long nodes wait for each other.
cat <<END
halo2d solves a heat equation on a grid. It runs on 4, 16 and 64 nodes of a simulated cluster, three times each. From
these runs apmt predicts the time on 256 nodes. Then it runs there, and prediction and measurement are compared. All
computation really runs, on this machine, which takes a minute or two.
END
show apmt run --virtual ethernet-10g --procs 4,16,64 -- halo2d 4001 60
show apmt predict apmt-halo2d --procs 256
show apmt run --virtual ethernet-10g --procs 256 --reps 1 --dir large -- halo2d 4001 60
show apmt validate large --model apmt-halo2d
show apmt report apmt-halo2d --procs 256 --html report.html
printf '\nThe report is %s/report.html: open it in a browser.\n' "$PWD"
