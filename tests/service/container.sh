#!/usr/bin/env bash
# container.sh ROOT LAYER CGROUP: starts systemd in a container whose root is in memory (tmpfs). Its /usr is this
# machine's, overlaid with LAYER/usr; its /etc has a few files of this machine, and those of LAYER/etc, which win. The
# container ends when this process is killed. ROOT is an empty folder for the new root; CGROUP is the name of the cgroups
# that this script creates and the caller removes. Needs root. (The script calls itself with the argument `inside`.)
set -euo pipefail
root=$1 layer=$2 cgroup=$3

# Uses cgroups of version 2, or of version 1 if the memory controller of this machine has that version.
hierarchies=("")
grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null || hierarchies=(unified systemd memory)
if [[ ${4:-} != inside ]]; then
  for hierarchy in "${hierarchies[@]}"; do
    mkdir "/sys/fs/cgroup/$hierarchy/$cgroup"
    echo $$ >"/sys/fs/cgroup/$hierarchy/$cgroup/cgroup.procs"
  done
  exec unshare --mount --pid --fork --kill-child --cgroup --ipc --uts --net "$0" "$root" "$layer" "$cgroup" inside
fi

mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$root"
cd "$root"
mkdir -p usr etc run var/lib var/log var/tmp tmp proc sys dev root home
chmod 1777 tmp var/tmp
for link in bin sbin lib lib32 lib64; do
  [[ ! -L /$link ]] || ln -s "$(readlink "/$link")" "$link"
done
mount -t overlay -o "lowerdir=$layer/usr:/usr" overlay usr
cp -a /etc/passwd /etc/group /etc/nsswitch.conf /etc/ld.so.c* /etc/alternatives etc
cp -a "$layer/etc/." etc
tr -d - </proc/sys/kernel/random/uuid >etc/machine-id

mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/shm dev/pts
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs tmpfs run

if ((${#hierarchies[@]} == 1)); then
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/{unified,systemd,memory}
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  mount -t cgroup -o memory cgroup sys/fs/cgroup/memory
fi

mkdir old
pivot_root . old
cd /
umount --lazy old
exec env -i container=apmt PATH=/usr/sbin:/usr/bin /lib/systemd/systemd --unit=basic.target --show-status=no \
  --log-target=journal
