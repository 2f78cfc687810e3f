#!/usr/bin/env bash
# install_test.sh BUILD_DIR VERSION: checks that an installation by `cmake --install` works from any working directory,
# and still works after its prefix was moved.
set -euo pipefail
shopt -s nullglob

build=${1:?usage: install_test.sh BUILD_DIR VERSION}
version=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'FAILED: %s\n' "$@" && exit 1; }

check_prefix() { # PREFIX
  local prefix=$1 output libraries file
  mkdir -p "$scratch/elsewhere"
  cd "$scratch/elsewhere"
  output=$("$prefix/bin/apmt" --version) || fail "apmt --version failed in $prefix"
  [[ $output == *"$version"* ]] || fail "apmt --version says '$output', not $version"
  libraries=("$prefix"/lib*/libapmt-*.so)
  ((${#libraries[@]})) || fail "no lib/libapmt-*.so in $prefix"
  [[ -f $prefix/share/doc/apmt/python/first_look.ipynb ]] || fail "no notebook in $prefix/share/doc/apmt/python"
  [[ -f $prefix/share/doc/apmt/examples/halo2d/halo2d.c ]] || fail "no examples in $prefix/share/doc/apmt"
  [[ -d $prefix/share/apmt/configs ]] || fail "no share/apmt/configs in $prefix"
  if "$prefix/bin/apmt" --version --json | grep -q '"service": true'; then
    [[ -f $prefix/lib/systemd/system/apmt-serve.service ]] || fail "no unit of systemd in $prefix"
  fi
  for file in "$prefix/bin/apmt" "${libraries[@]}"; do
    if readelf --dynamic --wide "$file" | grep -E '\((RPATH|RUNPATH)\)'; then
      fail "${file#"$prefix"/} has a run path: it would be looked up where it was built"
    fi
    if ldd "$file" | grep 'not found'; then
      fail "${file#"$prefix"/} misses a library"
    fi
  done
}

cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || fail "$(<"$scratch/install.log")"
check_prefix "$scratch/first"
mkdir -p "$scratch/another place"
mv "$scratch/first" "$scratch/another place/apmt"
check_prefix "$scratch/another place/apmt"
# A second installation over the first must not fail.
cmake --install "$build" --prefix "$scratch/another place/apmt" >"$scratch/install.log" || fail "$(<"$scratch/install.log")"
echo "installed, moved, and working"
