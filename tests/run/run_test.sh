#!/usr/bin/env bash
# run_test.sh ROOT: checks ./run with stand-ins for apt-get, dpkg-query, sudo, cmake and ctest that only log how they
# were called. Nothing is installed or built.
set -euo pipefail

root=${1:?usage: run_test.sh ROOT}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

stand_in() { # NAME BODY: a program of that name that logs its call, then runs BODY
  # shellcheck disable=SC2016  # expanded when it runs
  printf '#!/bin/bash\necho "%s $*" >>"$CALLS"\n%s\n' "$1" "$2" >"$bin/$1"
  chmod +x "$bin/$1"
}

# Copies ./run into a new source tree, and makes stand-ins for a Debian 12 with all packages installed and user root.
fresh_machine() {
  tree=$scratch/tree bin=$scratch/bin
  rm -rf "$tree" "$bin"
  mkdir -p "$tree" "$bin"
  cp "$root/run" "$tree/run"
  export CALLS=$scratch/calls APMT_OS_RELEASE=$scratch/os-release MISSING="" CMAKE_CONFIGURES=yes LISTS=good
  unset CI APMT_WERROR CC CXX
  : >"$CALLS"
  printf 'ID=debian\nVERSION_ID="12"\n' >"$APMT_OS_RELEASE"
  stand_in id 'echo 0'
  stand_in nproc 'echo 2'
  stand_in sudo 'exit 1'
  # shellcheck disable=SC2016
  stand_in dpkg-query 'for name in "${@:4}"; do
      case " $MISSING " in *" $name "*) ;; *) echo "installed $name" ;; esac
    done'
  # shellcheck disable=SC2016
  stand_in apt-get 'case "$*" in
      *update*) touch "$CALLS.updated" ;;
      *--simulate*) [[ $LISTS == good || -e $CALLS.updated ]] ;;
      *install*) [[ $LISTS != old || -e $CALLS.updated ]] ;;
    esac'
  rm -f "$CALLS.updated"
  # shellcheck disable=SC2016
  stand_in cmake 'case "$*" in
      *--build*) if [[ -e build/built ]]; then echo "[0/1] Re-checking globbed directories..." && echo "ninja: no work to do."
        else echo "[1/1] Building something" && touch build/built; fi ;;
      *--preset*) [[ $CMAKE_CONFIGURES == yes ]] && mkdir -p build/release && touch build/release/build.ninja ;;
    esac'
  stand_in ctest 'exit 0'
  stand_in ninja ''
  stand_in ccache ''
}

# run ARGS...: leaves the exit code in $code, its output in $out and $err, and the calls in $CALLS
run() {
  code=0
  : >"$CALLS"
  PATH=$bin:/usr/bin:/bin "$tree/run" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
  out=$(<"$scratch/out") err=$(<"$scratch/err")
}

check() { # WHAT COMMAND...
  local what=$1
  shift
  if ! "$@"; then
    printf 'FAILED: %s\n  exit code %s\n  stdout: %s\n  stderr: %s\n  calls: %s\n' "$what" "$code" "$out" "$err" \
      "$(<"$CALLS")"
    failures=$((failures + 1))
  fi
}
called() { grep -qE -- "$1" "$CALLS"; }
not_called() { ! called "$1"; }
has() { grep -qF -- "$2" <<<"$1"; }
has_not() { ! has "$@"; }
exits() { ((code == $1)); }
calls_of() { (($(grep -cE -- "$1" "$CALLS") == $2)); }

# Help and misuse.
fresh_machine
run --help
check "help succeeds" exits 0
for command in demo test build bench --help; do
  check "help lists $command" has "$out" "  $command"
done
check "help omits commands that are not available" has_not "$out" pmu-test
check "help calls nothing that installs or builds" not_called '^(apt-get|cmake)'
run
check "without a command: help" has "$out" "Usage: ./run"
run nonsense
check "an unknown command is a usage error" exits 2
check "an unknown command is named" has "$err" nonsense
mkdir -p "$tree/tests/pmu" && install -m 755 /dev/null "$tree/tests/pmu/run.sh"
run --help
check "help lists pmu-test where it is available" has "$out" pmu-test

# All packages are installed: apt-get is not called, and a second build prints nothing.
fresh_machine
run build
check "build succeeds" exits 0
check "nothing is installed when nothing is missing" not_called '^apt-get'
check "the progress of the build is shown" has "$out" "[1/1] Building something"
check "the preset is configured with ccache" called '^cmake .*--preset release .*CXX_COMPILER_LAUNCHER=ccache'
run build
check "a second build succeeds" exits 0
check "a second build prints nothing" test -z "$out$err"
check "a second build does not configure" not_called '^cmake --fresh'
APMT_WERROR=ON run build
check "another option configures again" called '^cmake --fresh .*-DAPMT_WERROR=ON'

fresh_machine
# shellcheck disable=SC2016
stand_in cmake 'case "$*" in *--build*) echo "FAILED: some.o"; exit 1 ;; *) mkdir -p build/release ;; esac'
run test
check "a failed build fails" exits 1
check "and shows why" has "$out" "FAILED: some.o"
check "and no test is run" not_called "^ctest"

# Missing packages, as root.
fresh_machine
MISSING="libceres-dev mpich" run build
check "as root, missing packages are installed" exits 0
check "in one call, those only" called '^apt-get .*install .*--no-install-recommends .* mpich libceres-dev$'
check "in one call" calls_of '^apt-get -qq install' 1
check "usable package lists are not refreshed" not_called '^apt-get .*update'
check "it says which" has "$out" "Installing 2 packages: mpich libceres-dev"
for lists in empty old; do
  fresh_machine
  LISTS=$lists MISSING="mpich" run build
  check "$lists lists are refreshed" calls_of '^apt-get .*update' 1
  check "and the packages installed" exits 0
done
# apt-get fails at every attempt.
fresh_machine
stand_in apt-get 'echo "E: no such archive"; exit 100'
MISSING="mpich" run build
check "a failed installation fails" exits 1
check "and says why" has "$err" "E: no such archive"
check "and nothing is built" not_called '^cmake'

# Missing packages, not root.
fresh_machine
stand_in id 'echo 1000'
MISSING="libceres-dev mpich" run test
check "without root: exit code 2" exits 2
check "prints one line for the administrator" has "$err" "apt-get install --no-install-recommends mpich libceres-dev"
check "nothing is installed" not_called '^apt-get'
run test
check "without root, nothing missing: works" exits 0
# shellcheck disable=SC2016
stand_in sudo '[[ $1 == -n ]] && shift; exec "$@"'
MISSING="mpich" run build
check "with sudo: installed" called '^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get .*install .* mpich$'
check "with sudo: succeeds" exits 0

# Another distribution.
fresh_machine
printf 'ID=fedora\nVERSION_ID=40\n' >"$APMT_OS_RELEASE"
MISSING="mpich" run build
check "elsewhere nothing is installed" not_called '^(apt-get|dpkg-query)'
check "elsewhere it builds when it can" exits 0
fresh_machine
printf 'ID=fedora\nVERSION_ID=40\n' >"$APMT_OS_RELEASE"
CMAKE_CONFIGURES=no run build
check "elsewhere a failed configuration fails" exits 1
check "and says what is needed" has "$err" "Ceres Solver 2, library and headers"

# ./run test.
fresh_machine
run test -L unit
check "tests run with ctest" called '^ctest --test-dir build/release --output-on-failure .*-j[0-9]+ -L unit$'
run test
check "without the long ones" called '^ctest .*-LE .*long'
check "as many at once as there are cores" called "^ctest .*-j$(nproc) "
with_rest() {
  fresh_machine
  mkdir -p "$tree/tests"
  # shellcheck disable=SC2016
  printf '#!/bin/bash\necho "the rest: $*"\n' >"$tree/tests/rest.sh"
  chmod +x "$tree/tests/rest.sh"
}
with_rest
run test --rest --within 30
check "--rest is the others" not_called '^ctest'
check "with its arguments" has "$out" "the rest: --within 30"
with_rest
run test --all asan
check "--all begins with the fast ones" called '^ctest .*-LE .*long'
check "and goes on with the others" has "$out" "the rest: asan"
stand_in ctest 'exit 8'
run test
check "a failed test is a failure" exits 8

# ./run demo and ./run bench.
fresh_machine
run demo
check "a missing demo is an error" exits 1
mkdir -p "$tree/examples" "$tree/bench/"{one,two}
# shellcheck disable=SC2016
printf '#!/bin/bash\necho "demo of $APMT_BUILD_DIR in $PWD, root $OMPI_ALLOW_RUN_AS_ROOT: $*"\n' >"$tree/examples/demo.sh"
chmod +x "$tree/examples/demo.sh"
run demo --fast
check "the demo is started with its arguments" has "$out" "demo of $tree/build/release in $tree, root 1: --fast"
MISSING="valgrind mpich libgtest-dev libbenchmark-dev libceres-dev" run demo
check "the demo installs only what it uses" called '^apt-get .*install .* libceres-dev libgtest-dev$'
MISSING="valgrind" run build
check "a build then installs the rest" called '^apt-get .*install .* valgrind$'
check "and configures again, to find it" called '^cmake --fresh'
run bench
check "a lack of benchmarks is an error" exits 1
echo 'echo bench one' >"$tree/bench/one/run.sh"
echo 'echo bench two; exit 1' >"$tree/bench/two/run.sh"
run bench
check "all benchmarks are run" has "$out" "bench two"
check "a failed one is a failure" exits 1
check "and is named" has "$err" "bench/two/run.sh"
run bench one
check "one alone succeeds" exits 0
check "one alone" has_not "$out" "bench two"
run bench three
check "an unknown one is a usage error" exits 2

if ((failures)); then
  echo "$failures checks failed"
  exit 1
fi
echo "./run does what it says"
