#!/usr/bin/env bash
# selftest.sh: tests the checks of this folder. Each case makes a small tree of sources, breaks one rule in it, and
# expects the check to fail and to name the place.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# Makes a tree that satisfies every rule.
fresh_tree() {
  tree=$scratch/tree
  rm -rf "$tree"
  mkdir -p "$tree"/{base,cli,campaign,fitter/{fit,laws,runs},machine,profile,profiler/{reader,runtime,sampler},pmpi-shim/core,reports,tests}
  echo '#include <string>' >"$tree/base/input_error.h"
  echo '#include <stdint.h>' >"$tree/profiler/profile_format.h"
  echo '#include "profiler/profile_format.h"' >"$tree/profiler/runtime/state.h"
  printf '#include <papi.h>\n#include "profiler/runtime/state.h"\n' >"$tree/profiler/sampler/sampler.cpp"
  printf '#include <mpi.h>\n#include <utility>\n#include "family.h"\n#include "profiler/runtime/state.h"\n' >"$tree/pmpi-shim/core/wrap.cpp"
  printf '#include <elfutils/libdw.h>\n#include "base/input_error.h"\n' >"$tree/profiler/reader/symbols.cpp"
  echo '#include "base/input_error.h"' >"$tree/profile/run_profile.h"
  printf '#include <ceres/ceres.h>\n#include "profile/run_profile.h"\n' >"$tree/fitter/fit/fit.cpp"
  echo '#include "profile/run_profile.h"' >"$tree/fitter/runs/experiment.h"
  echo '#include "fitter/runs/experiment.h"' >"$tree/reports/report.h"
  echo '#include <spdlog/spdlog.h>' >"$tree/cli/logging.cpp"
  echo '#include <CLI/CLI.hpp>' >"$tree/cli/arguments.cpp"
  echo '#include "reports/report.h"' >"$tree/cli/main.cpp"
  echo '#include "cli/main.h"' >"$tree/tests/any.cpp"
}

# passes CHECK: CHECK accepts the tree.
passes() {
  if ! output=$("$here/$1" "$tree"); then
    printf 'FAILED: %s complains about a good tree:\n%s\n' "$1" "$output"
    failures=$((failures + 1))
  fi
}

# refuses CHECK FILE TEXT PLACE: if TEXT is the content of FILE, CHECK fails and names PLACE.
refuses() {
  local check=$1 file=$2 text=$3 place=$4 output code=0
  fresh_tree
  mkdir -p "$(dirname "$tree/$file")"
  printf '%b' "$text" >"$tree/$file"
  output=$("$here/$check" "$tree") || code=$?
  if ((code != 1)) || ! grep -qF -- "$place" <<<"$output"; then
    printf 'FAILED: %s, %s: exit code %s; wanted 1 and "%s" in:\n%s\n' "$check" "$file" "$code" "$place" "$output"
    failures=$((failures + 1))
  fi
}

forbids() { refuses check_layers.py "$1" "$2" "$3"; }

fresh_tree
passes check_layers.py
passes check_style.sh
passes check_copies.py

# Code that stands in two places. Every line is different, so that the lines are no copy of one another.
twelve=$(printf '  f(%s);\\n' a b c d e f g h i j k l)
refuses check_copies.py fitter/twice.cpp "$twelve// not counted\n$twelve" \
  'fitter/twice.cpp:1 and fitter/twice.cpp:14 share 12 lines'
refuses check_copies.py fitter/twice.cpp "$twelve g();\n   ${twelve}h();\n" 'fitter/twice.cpp:1 and fitter/twice.cpp:14'
refuses check_copies.py tests/layering/copies.allowed 'fitter/fit/fit.cpp fitter/runs/experiment.h no reason at all\n' \
  'these files share fewer lines: fitter/fit/fit.cpp fitter/runs/experiment.h'
fresh_tree
printf '%b' "${twelve%f(l);\\n}\n\n${twelve%f(l);\\n}" >"$tree/fitter/twice.cpp"
passes check_copies.py

# Includes between folders that no layer allows.
forbids fitter/bad.cpp '// one\n#include "cli/main.h"\n' 'fitter/bad.cpp:2: fitter may not include "cli/main.h"'
forbids fitter/bad.cpp '#include "profiler/reader/raw_recording.h"\n' 'fitter/bad.cpp:1:'
forbids fitter/bad.cpp '  #  include   "campaign/launch.h"\n' 'fitter/bad.cpp:1:'
forbids fitter/bad.cpp '#include "fitter/model/model.h"\n' 'fitter/bad.cpp:1:'
forbids fitter/laws/bad.cpp '#include "fitter/model/model.h"\n' 'fitter/laws/bad.cpp:1:'
forbids base/bad.h '#include "fitter/model/model.h"\n' 'base/bad.h:1:'
forbids reports/bad.cpp '#include "campaign/launch.h"\n' 'reports/bad.cpp:1:'
forbids campaign/bad.cpp '#include "fitter/model/model.h"\n' 'campaign/bad.cpp:1:'
forbids machine/bad.cpp '#include "profile/run_profile.h"\n' 'machine/bad.cpp:1:'
forbids refine/bad.cpp '#include "reports/report.h"\n' 'refine/bad.cpp:1:'
forbids cli/bad.cpp '#include "profiler/runtime/state.h"\n' 'cli/bad.cpp:1:'
forbids profiler/reader/bad.cpp '#include "fitter/model/model.h"\n' 'profiler/reader/bad.cpp:1:'
forbids profile/bad.cpp '#include "profiler/reader/fold.h"\n' 'profile/bad.cpp:1:'
forbids refine/bad.cpp '#include "profiler/reader/fold.h"\n' 'refine/bad.cpp:1:'
forbids cli/bad.cpp '#include "profiler/reader/symbols.h"\n' 'cli/bad.cpp:1:'
forbids profiler/simulated/bad.cpp '#include "profiler/reader/raw_recording.h"\n' 'profiler/simulated/bad.cpp:1:'
forbids profiler/runtime/bad.cpp '#include "profiler/sampler/source.h"\n' 'profiler/runtime/bad.cpp:1:'
forbids profiler/sampler/bad.cpp '#include "base/input_error.h"\n' 'profiler/sampler/bad.cpp:1:'
forbids pmpi-shim/core/bad.cpp '#include "base/input_error.h"\n' 'pmpi-shim/core/bad.cpp:1:'
forbids profiler/profile_format.h '#include "profiler/runtime/state.h"\n' 'profiler/profile_format.h:1:'

# A rule applies however the include is written.
forbids fitter/bad.cpp '#include <reports/report.h>\n' 'fitter/bad.cpp:1: fitter may not include'
forbids fitter/bad.cpp '#include "../cli/main.h"\n' 'goes through a parent folder'
forbids fitter/bad.cpp '#include "model.h"\n' 'not a path from the root'
forbids helpers/new.cpp '#include <string>\n' 'helpers/new.cpp: lies in no layer'

# Headers of third-party libraries and of the C++ library, in sources that may not include them.
forbids fitter/bad.h '#include <ceres/ceres.h>\n' 'fitter/bad.h:1:'
forbids reports/bad.cpp '#include <yaml-cpp/yaml.h>\n' 'reports/bad.cpp:1:'
forbids fitter/bad.cpp '#include <elfutils/libdwfl.h>\n' 'fitter/bad.cpp:1:'
forbids fitter/bad.cpp '#include <spdlog/spdlog.h>\n' 'fitter/bad.cpp:1:'
forbids campaign/bad.cpp '#include <CLI/CLI.hpp>\n' 'campaign/bad.cpp:1:'
forbids profiler/sampler/bad.cpp '#include <mpi.h>\n' 'profiler/sampler/bad.cpp:1:'
forbids profiler/runtime/bad.cpp '#include <vector>\n' 'profiler/runtime/bad.cpp:1: <vector>'
forbids profiler/sampler/bad.cpp '#include <atomic>\n' 'profiler/sampler/bad.cpp:1: <atomic>'
forbids pmpi-shim/core/bad.cpp '#include <iostream>\n' 'pmpi-shim/core/bad.cpp:1: <iostream>'

# There are several headers family.h, of which the build chooses one. Only the folders in layers.rules may
# include it.
forbids fitter/bad.cpp '#include "family.h"\n' 'fitter/bad.cpp:1: "family.h" is not a path'

# Style.
refuses check_style.sh fitter/long.cpp "$(printf '//\\n%.0s' {1..500})" 'fitter/long.cpp:500'
refuses check_style.sh docs/long.md "$(printf 'line\\n%.0s' {1..500})" 'docs/long.md:500'
refuses check_style.sh cli/bad.cpp 'int f() {\n  return execvp(a, b);\n}\n' 'cli/bad.cpp:2'
refuses check_style.sh cli/bad.cpp 'const char* p = getenv("PATH");\n' 'cli/bad.cpp:1'
refuses check_style.sh fitter/bad.cpp 'for (int i = 0; i < info->dlpi_phnum; ++i) {}\n' 'fitter/bad.cpp:1'
refuses call_classes.py pmpi-shim/calls/files.def 'APMT_CALL(File_sync, kOther, Local, file)\n' 'MPI_File_sync has the class kOther'
refuses check_style.sh docs/wide.md "short\n\n$(printf 'word %.0s' {1..30})\n" 'docs/wide.md:3'
refuses check_style.sh tests/unit/lost_test.cpp '//\n' 'tests/unit/lost_test.cpp:1'
refuses check_style.sh fitter/bad.cpp 'int a;  // TO''DO: b\n' 'fitter/bad.cpp:1:'
refuses check_style.sh docs/bad.md 'see /ho''me/someone/notes\n' 'docs/bad.md:1:'
refuses check_style.sh tests/bad.cpp 'auto a = testing::Temp''Dir() + "a";\n' 'tests/bad.cpp:1:'

# Built libraries: a good one, and others with a forbidden export, undefined symbol or output.
libraries=$scratch/lib
mkdir -p "$libraries"
if command -v "${CXX:-c++}" >/dev/null; then
  make_library() { # NAME SOURCE FLAGS...
    printf '%s\n' "$2" >"$scratch/source.cpp"
    "${CXX:-c++}" -shared -fPIC -fno-exceptions -o "$libraries/libapmt-$1.so" "$scratch/source.cpp" "${@:3}"
  }
  checks_library() { # EXIT_CODE TEXT
    local output code=0
    output=$("$here/check_library.sh" "$libraries" 2>&1) || code=$?
    if ((code != $1)) || ! grep -qF -- "$2" <<<"$output"; then
      printf 'FAILED: check_library.sh: exit code %s, wanted %s and "%s" in:\n%s\n' "$code" "$1" "$2" "$output"
      failures=$((failures + 1))
    fi
  }
  checks_library 77 'nothing to check'
  make_library good 'extern "C" int MPI_Init() { return 0; }' -nodefaultlibs -lc
  checks_library 0 '1 libraries'
  make_library good 'extern "C" int MPI_Init() { return 0; } extern "C" int helper() { return 1; }' -nodefaultlibs -lc
  checks_library 1 'exports helper'
  make_library good 'int* f() { return new int; } extern "C" int MPI_Init() { return *f(); }' -fvisibility=hidden
  checks_library 1 'wants _Znwm'
  make_library good 'extern "C" int PMPI_Barrier(int); extern "C" int MPI_Barrier(int c) { return PMPI_Barrier(c); }' \
    -nodefaultlibs -lc
  checks_library 1 'wants PMPI_Barrier of an MPI library'
  make_library good '#include <unistd.h>
    __attribute__((constructor)) static void hello() { if (write(2, "hello", 5)) {} }' -nodefaultlibs -lc
  checks_library 1 'is not silent'
fi

if ((failures)); then
  echo "$failures cases failed"
  exit 1
fi
echo "every rule is enforced"
