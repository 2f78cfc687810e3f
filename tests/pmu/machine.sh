#!/usr/bin/env bash
# Makes and runs an emulated arm64 machine with a performance monitoring unit, from QEMU, Debian's kernel and
# packages.
#
#   machine.sh prepare CACHE           makes kernel, initrd, root image and sysroot in CACHE, unless they exist
#   machine.sh run CACHE FOLDER [CPU]  boots, runs FOLDER/run.sh in the machine, copies FOLDER back as FOLDER.out
#
# The guest sees FOLDER under the same path as the host, so that the host finds the programs that a recording from the
# guest names. With APMT_PMU_CLOCK=real, the guest's clock follows the host's clock instead of the number of executed
# instructions; the counter of instructions then exists but stays 0. `run` exits with the exit code of run.sh.
set -euo pipefail

suite=bookworm
# The packages in the image; a change of this list makes a new image.
packages=busybox,bash,coreutils,diffutils,findutils,grep,util-linux,libc6-dev,libstdc++6,libpapi-dev,openmpi-bin,libopenmpi-dev,valgrind
packages+=,libpfm4-dev,libyaml-cpp-dev,nlohmann-json3-dev  # for the doctor
kernel=linux-image-cloud-arm64
recipe="1 $suite $kernel $packages"

fetch() { # PACKAGES FOLDER: unpacks packages and what they need
  mmdebstrap --quiet --variant=extract --architectures=arm64 --include="$1" \
    --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
    --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/lib/gcc/*' \
    "$suite" "$2" "${sources[@]}" </dev/null
  rm -rf "$2"/etc/apt "$2"/var/lib/apt "$2"/var/cache
}

# Sets `sources` to this machine's package sources if it runs the same suite. Otherwise `sources` is empty, and
# mmdebstrap uses its default.
find_sources() {
  local file
  sources=()
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    if [[ -s $file ]] && grep -q "$suite" "$file"; then
      sources=("$file")
    fi
  done
}

initrd() { # FOLDER: just enough to find the disk
  local root=$1 module lib=lib/aarch64-linux-gnu
  mkdir -p "$root"/{$lib,bin,dev,r}
  cp sysroot/bin/busybox "$root/bin/"
  cp -L sysroot/lib/ld-linux-aarch64.so.1 "$root/lib/"
  cp -L sysroot/$lib/{libc.so.6,libresolv.so.2} "$root/$lib/"
  for module in virtio_ring virtio virtio_mmio virtio_blk; do
    find kernel/lib/modules -name "$module.ko" -exec cp {} "$root/lib/" \;
  done
  cat >"$root/init" <<'EOF'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs dev /dev
for module in virtio_ring virtio virtio_mmio virtio_blk; do /bin/busybox insmod /lib/$module.ko; done
/bin/busybox mount -t ext4 -o rw,noatime /dev/vda /r || /bin/busybox poweroff -f
/bin/busybox mount --move /dev /r/dev
exec /bin/busybox switch_root /r /guest-init
EOF
  chmod +x "$root/init"
  (cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >initrd.gz
}

guest_system() { # the files that the image needs besides its packages, which were unpacked but not configured
  local tool
  cat >sysroot/guest-init <<'EOF'
#!/bin/busybox sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin:/busybox HOME=/tmp LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
for folder in /dev/shm /tmp /run; do mount -t tmpfs tmpfs $folder; done
ifconfig lo 127.0.0.1 up
hostname guest
folder=$(sed -n 's/.*apmt_folder=\([^ ]*\).*/\1/p' /proc/cmdline)
mkdir -p "$folder"
mount -t ext4 /dev/vdb "$folder"
cd "$folder"
bash ./run.sh >output.txt 2>&1 </dev/null
echo $? >exit_code
cd /
umount "$folder"
poweroff -f
EOF
  chmod +x sysroot/guest-init
  ln -sf bash sysroot/bin/sh
  mkdir -p sysroot/busybox
  for tool in mount umount sed awk hostname ifconfig poweroff timeout xargs which; do
    ln -sf /bin/busybox "sysroot/busybox/$tool"
  done
  printf 'root:x:0:0:root:/tmp:/bin/bash\nuser:x:1000:1000::/tmp:/bin/bash\n' >sysroot/etc/passwd
  printf 'root:x:0:\nuser:x:1000:\n' >sysroot/etc/group
  printf '127.0.0.1 localhost guest\n' >sysroot/etc/hosts
}

prepare() { # CACHE
  local cache=$1 new
  if [[ -f $cache/recipe && $(<"$cache/recipe") == "$recipe" ]]; then
    return 0
  fi
  mkdir -p "$(dirname "$cache")"
  new=$(mktemp -d "$cache.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  find_sources
  (
    cd "$new"
    chmod 755 .
    fetch $kernel kernel
    fetch $packages sysroot
    mv kernel/boot/vmlinuz-* Image
    initrd initrd
    guest_system
    mke2fs -q -F -t ext4 -O ^has_journal -d sysroot root.ext4 700M >/dev/null
    rm -rf kernel initrd
    printf '%s\n' "$recipe" >recipe
  )
  rm -rf "$cache"
  mv "$new" "$cache"
  trap - EXIT
}

run() { # CACHE FOLDER CPU
  local cache=$1 folder cpu=$3 scratch clock=(-icount "shift=1,sleep=off")
  folder=$(readlink -f "$2")
  [[ ${APMT_PMU_CLOCK:-instructions} == real ]] && clock=()
  scratch=$(mktemp -d)
  mke2fs -q -F -t ext4 -O ^has_journal -d "$folder" "$scratch/folder.ext4" 192M >/dev/null
  # The machine has one CPU, because with several, the counts of one CPU leak into those of the others, and no count is
  # exact. The limit is in seconds of CPU time, because a run on a busy host takes several times as long.
  prlimit --cpu="${APMT_PMU_CPU_SECONDS:-300}" qemu-system-aarch64 -M virt,gic-version=3 -cpu "$cpu" -smp 1 "${clock[@]}" -m 1G \
    -nographic -nodefaults -serial stdio -no-reboot -kernel "$cache/Image" -initrd "$cache/initrd.gz" \
    -append "console=ttyAMA0 quiet panic=-1 apmt_folder=$folder" \
    -drive "file=$scratch/folder.ext4,format=raw,if=none,id=b" -device virtio-blk-device,drive=b \
    -drive "file=$cache/root.ext4,format=raw,if=none,id=a,snapshot=on" -device virtio-blk-device,drive=a \
    </dev/null >"$scratch/serial.txt" 2>&1 || true
  rm -rf "$folder.out"
  mkdir "$folder.out"
  debugfs -R "rdump / $folder.out" "$scratch/folder.ext4" >/dev/null 2>&1
  cp "$scratch/serial.txt" "$folder.out/"
  rm -rf "$scratch"
  if [[ ! -s $folder.out/exit_code ]]; then
    echo "the emulated machine did not come to its end; it said last:" >&2
    tail -n 20 "$folder.out/serial.txt" >&2
    return 99
  fi
  return "$(<"$folder.out/exit_code")"
}

case ${1:-} in
  prepare) prepare "$2" ;;
  run) run "$2" "$3" "${4:-cortex-a57}" ;;
  *) echo "usage: machine.sh prepare CACHE | run CACHE FOLDER [CPU]" >&2 && exit 2 ;;
esac
