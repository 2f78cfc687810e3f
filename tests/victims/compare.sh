#!/usr/bin/env bash
# compare.sh PROGRAM LIBRARY [SITUATION [COMMAND]]
# Runs PROGRAM alone and with LIBRARY preloaded: output, exit code and terminating signal must be the same. In some
# SITUATIONs recording is impossible; the program must behave the same there, too.
set -u
program=$(readlink -f "$1")
library=$(readlink -f "$2")
situation=${3:-normal}
work=$(mktemp -d)
trap 'cleanup' EXIT
mounted=
cleanup() {
  if [[ -n $mounted ]]; then umount "$work/full"; fi
  rm -rf "$work"
}

mount_small() { # mount_small OPTION: mounts a file system to which the recordings cannot be written
  mkdir "$work/full"
  if ! mount -t tmpfs -o "$1" tmpfs "$work/full" 2>/dev/null; then
    echo "SKIP: needs the right to mount a small file system"
    exit 77
  fi
  mounted=1 experiment=$work/full/experiment expect_recording=0
}

experiment=$work/experiment
limits=true
wrapper=
expect_recording=1
case $situation in
  normal) ;;
  file-size) limits="ulimit -f 100" expect_recording=0 ;;
  descriptors) limits="ulimit -n 12" ;;
  pending-signals) limits="ulimit -i 0" ;;
  memory) limits="ulimit -v 300000" ;;
  no-directory) experiment=/proc/none expect_recording=0 ;;
  full-disk) mount_small size=256k ;;
  read-only) mount_small ro ;;
  static) expect_recording=0 ;;
  denied) wrapper=$4 ;; # a command that runs the program and denies something to it
  setuid)
    cp "$program" "$work/program"
    program=$work/program
    if ! chown nobody "$program" 2>/dev/null || ! chmod 4755 "$program" || ! chmod 755 "$work"; then
      echo "SKIP: needs the right to make a setuid program"
      exit 77
    fi
    expect_recording=any ;; # the file system may ignore the setuid bit
  *) echo "unknown situation $situation" && exit 2 ;;
esac

observe() { # observe NAME [VARIABLE=VALUE...]: runs the program in a folder of its own
  local name=$1
  shift
  mkdir "$work/$name"
  (
    cd "$work/$name" || exit 99
    # The subshell's report of a signal contains a process id, so it is discarded; the exit code shows the signal.
    bash -c "$limits; exec env -i PATH=/usr/bin:/bin \"\$@\"" _ "$@" $wrapper "$program" >out 2>err </dev/null
    echo $? >status
  ) 2>/dev/null
}

observe alone
observe watched "LD_PRELOAD=$library" "APMT_TARGET=$program" "APMT_DIR=$experiment" APMT_QUIET=1

failed=0
for part in out err status; do
  if ! cmp -s "$work/alone/$part" "$work/watched/$part"; then
    echo "$part differs:"
    diff "$work/alone/$part" "$work/watched/$part" | head -20
    failed=1
  fi
done
recordings=$(find "$experiment" -name 'rank-*.apmt' 2>/dev/null | wc -l)
if [[ $expect_recording != any && $recordings != "$expect_recording" ]]; then
  echo "expected $expect_recording recordings, found $recordings"
  failed=1
fi
leftovers=$(find "$work/watched" -type f ! -name out ! -name err ! -name status | wc -l)
if [[ $leftovers != 0 ]]; then
  echo "files appeared in the program's directory:"
  find "$work/watched" -type f
  failed=1
fi
exit $failed
