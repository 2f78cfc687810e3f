#!/usr/bin/env bash
# check_style.sh ROOT: checks the rules that hold for every source file. Prints one line per violation on stdout; exit
# code 1 when there is any, 2 when the check itself could not be made.
set -euo pipefail

root=${1:?usage: check_style.sh ROOT}
cd "$root"
longest=499 # lines; a longer file has to be split
widest=110  # columns of a paragraph

mapfile -t files < <(find . -type d \( -path './.git' -o -path './.cache' -o -path './build*' -o -path ./demo-run \) \
  -prune -o -type f -print | sed 's|^\./||' | sort)
sources=()
texts=()
limited=() # the files that must not have more lines than $longest
for file in "${files[@]}"; do
  case $file in
    *.h | *.hpp | *.c | *.cpp | *.inc | *.def | *.f90 | *.F90 | *.cmake | *CMakeLists.txt | *.sh | run | .ci/run | *.awk | *.js)
      sources+=("$file")
      texts+=("$file")
      ;;
    *.md | *.txt | *.json | *.yaml | *.yml | *.rules | *.html | *.css | .clang* | .gitignore | LICENSE)
      texts+=("$file")
      ;;
  esac
  case $file in
    *.md | *.py) limited+=("$file") ;;
  esac
done
limited+=("${sources[@]}")
((${#sources[@]})) || { echo "$root: no source found" >&2 && exit 2; }

violations=0
report() { # REASON LINE...: each line a violation
  local reason=$1 line
  shift
  for line in "$@"; do
    printf '%s  (%s)\n' "$line" "$reason"
    violations=$((violations + 1))
  done
}

search() { # EXTENDED_REGEX: FILE:LINE:TEXT of every hit, texts only
  grep -HnIE -- "$1" "${texts[@]}" | cut -c1-200 || true
}

mapfile -t hits < <(awk -v most=$longest 'FNR == most + 1 { print FILENAME ":" FNR }' "${limited[@]}")
report "longer than $longest lines: split it" "${hits[@]}"

# The words are written in pieces, so that this file does not violate its own rule.
mapfile -t hits < <(search "(^|[^A-Za-z0-9_])(TO""DO|FIX""ME|X""XX)([^A-Za-z0-9_]|\$)")
report "do it, or describe it as a limit in docs/" "${hits[@]}"

# A path below a home directory exists on one machine only.
mapfile -t hits < <(search "(^|[^A-Za-z0-9_./}~-])/(ho""me|ro""ot|wo""rk|Us""ers)/[A-Za-z0-9_.]")
report "a path of one machine" "${hits[@]}"

# Tests run in parallel: a file with a fixed name in the common folder would be shared by several tests.
mapfile -t hits < <(search '(TempDir|temp_directory_path)\(\)' | grep '^tests/' || true)
report "use base/temporary_folder.h" "${hits[@]}"

# What one file does for all others.
only_in() { # FILE REGEX REASON: apmt's sources contain REGEX in FILE only
  mapfile -t hits < <(search "$2" | grep -vE '^(tests|bench|examples)/|\.(md|sh|txt|rules):' | grep -v "^$1:" || true)
  report "$3" "${hits[@]}"
}
only_in machine/child_process.cpp '\b(exec[lv][pe]*|posix_spawnp?|popen)\(' "machine/child_process.h starts programs"
only_in base/search_path.cpp 'getenv\("PATH"\)' "base/search_path.h searches PATH"
only_in profiler/runtime/segments.h '< .*\bdlpi_phnum' "profiler/runtime/segments.h loops over segments"

# Checks the width of lines in documents. Tables, code and transcripts (indented or fenced), lines with web addresses
# and "Measured:" lines may be wider.
mapfile -t documents < <(printf '%s\n' "${files[@]}" | grep '\.md$' || true)
if ((${#documents[@]})); then
  mapfile -t hits < <(awk -v most=$widest '
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced }
    length > most && !fenced && !/^ *\||^    |^Measured:|https?:/ { print FILENAME ":" FNR }' "${documents[@]}")
  report "wider than $widest columns" "${hits[@]}"
fi

# A test that CMake does not know would never run.
unlisted() { # FILE...: those that no CMakeLists.txt in their folder or above it names
  local file folder name
  for file; do
    folder=$(dirname "$file") name=$(basename "$file" .cpp)
    until grep -qsw -- "$name" "$folder/CMakeLists.txt"; do
      [[ $folder == . ]] && echo "$file:1" && break
      folder=$(dirname "$folder")
    done
  done
}
mapfile -t tests < <(printf '%s\n' "${sources[@]}" | grep '^tests/.*_test\.cpp$' || true)
mapfile -t hits < <(unlisted "${tests[@]}")
report "no CMakeLists.txt names this test" "${hits[@]}"

if ((violations)); then
  echo "$violations violations in ${#texts[@]} files"
  exit 1
fi
echo "${#texts[@]} files keep to the style"
