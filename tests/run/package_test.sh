#!/usr/bin/env bash
# package_test.sh BUILD_DIR SOURCE: checks that the .deb installs on a bare Debian 12 and works there (command, manual
# pages, completion, a recorded run), and that the .rpm has the same files. Skipped without mmdebstrap or
# dpkg-shlibdeps, or if this user may not make the root of a Debian system or cannot reach Debian's packages. Without
# rpmbuild, no .rpm is checked.
set -euo pipefail
build=${1:?usage: package_test.sh BUILD_DIR SOURCE}
source=$2
for program in mmdebstrap dpkg-shlibdeps; do
  command -v "$program" >/dev/null || { echo "SKIP: $program is not installed" && exit 77; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'FAILED: %s\n' "$@" && exit 1; }

package() { # GENERATOR
  cpack --config "$build/CPackConfig.cmake" -G "$1" -B "$scratch/$1" >"$scratch/cpack.log" 2>&1 ||
    fail "cpack -G $1" "$(tail -n 20 "$scratch/cpack.log")"
}

files_of_deb() { dpkg-deb --fsys-tarfile "$deb" | tar -t | grep -v '/$' | sed 's|^\.||' | sort; }

package DEB
deb=$(echo "$scratch"/DEB/apmt_*.deb)
files=$(files_of_deb)
for wanted in bin/apmt libexec/apmt-full share/man/man1/apmt-predict.1 share/bash-completion/completions/apmt \
  share/zsh/site-functions/_apmt share/zsh/vendor-completions/_apmt share/fish/vendor_completions.d/apmt.fish share/doc/apmt/copyright \
  share/doc/apmt/docs/formats.md share/doc/apmt/CHANGELOG.md share/doc/apmt/examples/halo2d/halo2d.c share/apmt/configs/laws.yaml; do
  grep -qx "/usr/$wanted" <<<"$files" || fail "no /usr/$wanted in $deb"
done
if "$build/bin/apmt" --version --json | grep -q '"service": true'; then
  grep -qx /usr/lib/systemd/system/apmt-serve.service <<<"$files" || fail "no unit of systemd in $deb"
fi
for family in openmpi mpich smpi; do
  [[ $(grep -c "^/usr/lib/libapmt-$family\.so" <<<"$files") == 3 ]] ||
    fail "libapmt-$family.so, its links included" "$files"
done
for library in libdw1 libyaml-cpp libexpat1 zlib1g; do
  grep -q "Depends:.*$library" < <(dpkg-deb --info "$deb") || fail "depends not on $library" "$(dpkg-deb --info "$deb")"
done

if command -v rpmbuild >/dev/null; then
  package RPM
  rpm=$(echo "$scratch"/RPM/apmt-*.rpm)
  # rpmbuild compresses no manual pages here, so the manual pages have the same names as in the .deb. The list
  # of the .rpm also contains folders.
  in_rpm=$(rpm -qp --list "$rpm" 2>/dev/null | sort)
  missing=$(comm -23 <(printf '%s\n' "$files") <(printf '%s\n' "$in_rpm"))
  [[ -z $missing ]] || fail "not in the .rpm:" "$missing"
  grep -qx /usr/lib/systemd/system <<<"$in_rpm" && fail "the .rpm owns a folder of systemd" "$in_rpm"
  grep -qx /usr/libexec <<<"$in_rpm" && fail "the .rpm owns /usr/libexec, which other packages own" "$in_rpm"
  grep -q '/[a-z0-9_]*-linux-gnu' <<<"$in_rpm" && fail "a folder of Debian's in the .rpm" "$in_rpm"
  provided=$(rpm -qp --provides "$rpm" 2>/dev/null)
  grep -q '^libapmt-openmpi\.so\.[0-9]' <<<"$provided" || fail "the .rpm provides no library"
  grep -qE '^libapmt-[a-z-]*\.so\(' <<<"$provided" && fail "the .rpm offers libraries that only apmt loads" "$provided"
  for library in libdw libelf libyaml-cpp libexpat libz; do
    grep -q "^$library\.so" < <(rpm -qp --requires "$rpm" 2>/dev/null) || fail "the .rpm requires no $library"
  done
  [[ $(rpm -qp --suggests "$rpm" 2>/dev/null | sort | tr '\n' ' ') == "openmpi papi valgrind " ]] || fail "suggests other packages"
  grep -q 'profiles an unmodified MPI program' < <(rpm -qpi "$rpm" 2>/dev/null) || fail "the .rpm does not say what apmt is"
  # The installed files must work, and removing the package must leave none of them.
  root=$scratch/rpm-root
  rpm_there() { rpm --root "$root" --nodeps --noscripts "$@" 2>/dev/null; }
  mkdir "$root" && rpm --root "$root" --initdb
  rpm_there --install "$rpm" || fail "the .rpm cannot be installed"
  rpm_there --verify apmt || fail "the installed files differ from the .rpm"
  # shellcheck disable=SC2016  # perl expands it
  (cd "$scratch" && "$root/usr/bin/apmt" -q record -- perl -e 'for my $i (1 .. 20000000) { $x += $i % 7 }' &&
    "$root/usr/bin/apmt" info apmt-perl | grep -q '1 run of perl on 1 process') || fail "apmt of the .rpm records nothing"
  rpm_there --erase apmt || fail "apmt of the .rpm cannot be removed"
  [[ ! -e $root/usr/bin/apmt ]] || fail "removing the .rpm leaves its files"
else
  echo "SKIP (the .rpm alone): rpmbuild is not installed"
fi

# The steps inside the new root, as its administrator.
cat >"$scratch/inside.sh" <<'INSIDE'
set -euo pipefail
trap 'echo "failed in the bare system: $BASH_COMMAND"' ERR
cd /tmp
export DEBIAN_FRONTEND=noninteractive
apt-get -qq install -y --no-install-recommends ./apmt.deb man-db bash-completion >/tmp/install.log 2>&1 ||
  { tail -n 20 /tmp/install.log && exit 1; }
apmt --version
man apmt-predict | grep -q 'apmt predict \[OPTIONS\]'
man -k 'Predict the time' 2>/dev/null | grep apmt-predict || true
# Loads the completion as bash-completion does when the user completes a command line of apmt for the first
# time.
bash -c 'source /usr/share/bash-completion/bash_completion; _completion_loader apmt || true
  COMP_WORDS=(apmt predict --sc) COMP_CWORD=2; _apmt; [[ ${COMPREPLY[*]} == --scaling ]]'
# zsh and fish find their completions by themselves.
apt-get -qq install -y --no-install-recommends zsh fish >>/tmp/install.log 2>&1
zsh -f -c 'autoload -U compinit && compinit -D -u && [[ $_comps[apmt] == _apmt ]]'
fish -c "complete -C 'apmt predict --scaling '" | cut -f 1 | grep -x weak
apmt doctor --no-self-test || [[ $? == 1 ]] # bad: no MPI in a bare system
apmt record -- perl -e 'my $x = 0; for my $i (1 .. 20000000) { $x += $i * $i % 7 }'
apmt info | tee /tmp/info.txt
grep -q perl /tmp/info.txt
test -f apmt-perl/apmt-perl.p1.r1/profile.json
test -s /usr/share/doc/apmt/copyright -a -s /usr/share/doc/apmt/docs/predict.md
dpkg --verify apmt
apt-get -qq remove -y apmt >/dev/null 2>&1
test ! -e /usr/bin/apmt -a ! -e /usr/lib/libapmt-openmpi.so
echo "all was well inside"
INSIDE
cp "$deb" "$scratch/apmt.deb"

# Uses this machine's package sources if it runs the same suite, otherwise mmdebstrap's default.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
  if [[ -s $file ]] && grep -q bookworm "$file"; then sources=("$file"); fi
done
mmdebstrap --quiet --variant=minbase --format=null \
  --customize-hook="copy-in $scratch/apmt.deb $scratch/inside.sh /tmp" \
  --customize-hook="echo the bare system is there; chroot \"\$1\" bash /tmp/inside.sh" \
  bookworm /dev/null "${sources[@]}" </dev/null 2>&1 | tee "$scratch/inside.log" || true
grep -q "the bare system is there" "$scratch/inside.log" || { echo "SKIP: no bare Debian 12 can be made here" && exit 77; }
grep -q "all was well inside" "$scratch/inside.log" || fail "inside the bare system"
# The container file must use the same base system.
grep -q '^FROM debian:12$' "$source/packaging/Containerfile" || fail "the container file builds on another system"
echo "the packages install and work"
