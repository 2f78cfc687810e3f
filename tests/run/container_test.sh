#!/usr/bin/env bash
# container_test.sh SOURCE: builds packaging/Containerfile, and uses the image as a user would. The base image is made
# from Debian's packages (mmdebstrap), so no registry is needed. Skipped where a container cannot be built.
set -euo pipefail
source=${1:?usage: container_test.sh SOURCE}
for program in buildah mmdebstrap; do
  command -v "$program" >/dev/null || { echo "SKIP: $program is not installed" && exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'FAILED: %s\n' "$@" && exit 1; }
build() { buildah --storage-driver vfs --root "$scratch/store" --runroot "$scratch/state" "$@"; }

base=$(build from scratch 2>"$scratch/from.log") || { echo "SKIP: buildah cannot work here: $(cat "$scratch/from.log")" && exit 77; }
mmdebstrap --quiet --variant=minbase bookworm "$scratch/base.tar" </dev/null >"$scratch/base.log" 2>&1 ||
  { echo "SKIP: no bare Debian 12 can be made here" && exit 77; }
build add -q "$base" "$scratch/base.tar" / >/dev/null
build commit -q "$base" docker.io/library/debian:12 >/dev/null
build bud --isolation chroot --network host --pull=never -f "$source/packaging/Containerfile" -t apmt "$source" \
  >"$scratch/build.log" 2>&1 </dev/null || fail "the image is not built" "$(tail -n 30 "$scratch/build.log")"

[[ $(build inspect --type image --format '{{.OCIv1.Config.Entrypoint}}' apmt) == "[apmt]" ]] || fail "starts another command"
container=$(build from --pull=never apmt)
inside() { build run --isolation chroot "$container" -- "$@"; }
inside apmt --version | grep 'recorder libraries: openmpi, mpich, smpi, serial' || fail "no recorder of some MPI"
# shellcheck disable=SC2016  # perl expands it
inside sh -c 'cd /tmp && apmt -q record -- perl -e "for my \$i (1 .. 20000000) { \$x += \$i % 7 }" && apmt info apmt-perl' |
  grep '1 run of perl on 1 process' || fail "records nothing"
inside sh -c 'test ! -e /source && test ! -e /tmp/apmt_*.deb' || fail "sources or packages are left in the image"
echo "the image is built and works"
