#!/usr/bin/env bash
# modulefile_test.sh BUILD_DIR VERSION: checks that the folders that the environment module of an installation names
# exist, wherever the installation is. tclsh reads the module, with stand-ins for the commands of environment modules.
set -euo pipefail
build=${1:?usage: modulefile_test.sh BUILD_DIR VERSION}
version=$2
command -v tclsh >/dev/null || { echo "SKIP: tclsh is not installed" && exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { printf 'FAILED: %s\n' "$@" && exit 1; }

cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/moved here"
cat >"$scratch/standin.tcl" <<'TCL'
set ModulesCurrentModulefile [lindex $argv 0]
proc module-whatis {text} { puts "whatis $text" }
proc conflict {name} { puts "conflict $name" }
proc prepend-path {variable path} { puts "$variable $path" }
proc setenv {variable value} { puts "$variable $value" }
source $ModulesCurrentModulefile
ModulesHelp
TCL
tclsh "$scratch/standin.tcl" "$scratch/moved here/share/apmt/modulefiles/apmt/$version" >"$scratch/said" 2>"$scratch/help"
grep -q "^whatis apmt $version" "$scratch/said" || fail "$(<"$scratch/said")"
grep -q "man apmt" "$scratch/help" || fail "no help"
for variable in PATH LD_LIBRARY_PATH MANPATH FPATH XDG_DATA_DIRS APMT_ROOT; do
  folder=$(sed -n "s/^$variable //p" "$scratch/said")
  [[ -d $folder && $folder == "$scratch/moved here"* ]] || fail "$variable is '$folder'"
done
folder=$(sed -n 's/^PATH //p' "$scratch/said")
[[ $("$folder/apmt" --version | head -n 1) == "apmt $version" ]] || fail "PATH has no apmt $version"
folder=$(sed -n 's/^MANPATH //p' "$scratch/said")
[[ -f $folder/man1/apmt-predict.1 ]] || fail "MANPATH has no apmt-predict"
folder=$(sed -n 's/^LD_LIBRARY_PATH //p' "$scratch/said")
[[ $(basename "$(readlink "$folder/libapmt-serial.so")") == libapmt-serial.so.* ]] || fail "libraries have no version"
echo "the module names the installed tree"
