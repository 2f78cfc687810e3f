#!/usr/bin/env bash
# check_layers.sh ROOT [RULES]: checks that every #include below ROOT obeys RULES. Prints one line per
# violation on stdout; exit code 1 when there is any, 2 when the check itself could not be made.
set -euo pipefail
shopt -s extglob

root=${1:?usage: check_layers.sh ROOT [RULES]}
rules=${2:-$(dirname "${BASH_SOURCE[0]}")/layers.rules}

layers=()            # folders, in the order of the rules
declare -A may       # folder -> patterns of what it may include
inside=()            # patterns of sources that run in the profiled program
allowed=()           # headers of the C++ library that they may include nevertheless
chosen_headers=()    # headers that the build chooses by the include path
chosen_where=()      # patterns of who may include them, by the same index
only_headers=()      # patterns of restricted third-party headers
only_where=()        # patterns of who may include them, by the same index

# The rules are patterns: words must not expand to file names.
set -f

read_rules() {
  local kind first rest
  # `read` without -r joins lines that end in a backslash; $rest is a list of patterns.
  # shellcheck disable=SC2162,SC2206
  while read kind first rest; do
    case $kind in
      "" | "#"*) ;;
      layer) layers+=("$first") may[$first]=$rest ;;
      inside) inside+=("$first" $rest) ;;
      allowed) allowed+=("$first" $rest) ;;
      chosen) chosen_headers+=("$first") chosen_where+=("$rest") ;;
      only) only_headers+=("$first") only_where+=("$rest") ;;
      *) echo "$rules: there is no rule '$kind'" >&2 && exit 2 ;;
    esac
  done <"$rules"
  ((${#layers[@]})) || { echo "$rules: no layer" >&2 && exit 2; }
}

# matches PATH PATTERN...: whether a path matches a pattern, or is in the folder that a pattern names
matches() {
  local path=$1 pattern
  shift
  for pattern in "$@"; do
    # shellcheck disable=SC2053  # the right side is a pattern
    [[ $path == $pattern || $path == $pattern/* ]] && return 0
  done
  return 1
}

layer_of() { # the deepest layer that holds a path, in $layer
  local path=$1 candidate
  layer=""
  for candidate in "${layers[@]}"; do
    if [[ $path == "$candidate" || $path == "$candidate"/* ]] && ((${#candidate} > ${#layer})); then
      layer=$candidate
    fi
  done
}

violations=0
violation() {
  printf '%s\n' "$1"
  violations=$((violations + 1))
}

check_project_include() { # WHERE FILE HEADER
  local where=$1 file=$2 header=$3
  matches "$header" "$layer" && return 0
  # shellcheck disable=SC2086  # a list of patterns
  matches "$header" ${may[$layer]} && return 0
  violation "$where: $layer may not include \"$header\"; it may include: its own headers ${may[$layer]}"
}

check_system_include() { # WHERE FILE HEADER
  local where=$1 file=$2 header=$3 i
  if matches "$file" "${inside[@]}" && [[ $header != *.h ]] && ! matches "$header" "${allowed[@]}"; then
    violation "$where: <$header> is of the C++ library, which code in the profiled program does without"
  fi
  for i in "${!only_headers[@]}"; do
    # shellcheck disable=SC2053,SC2086  # patterns
    if [[ $header == ${only_headers[i]} ]] && ! matches "$file" ${only_where[i]}; then
      violation "$where: <$header> may be included only by: ${only_where[i]}"
    fi
  done
}

is_chosen() { # FILE HEADER
  local i
  for i in "${!chosen_headers[@]}"; do
    # shellcheck disable=SC2086  # patterns
    [[ $2 == "${chosen_headers[i]}" ]] && matches "$1" ${chosen_where[i]} && return 0
  done
  return 1
}

check_include() { # FILE LINE TEXT
  local file=$1 where="$1:$2" header
  if [[ $3 =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*\<([^\>]+)\> ]]; then
    header=${BASH_REMATCH[1]}
    # A header of the project in angle brackets is checked like one in quotes, too.
    if [[ -f $root/$header ]]; then
      violation "$where: write \"$header\"; angle brackets are for headers of others"
      check_project_include "$where" "$file" "$header"
    else
      check_system_include "$where" "$file" "$header"
    fi
  elif [[ $3 =~ ^[[:space:]]*#[[:space:]]*include[[:space:]]*\"([^\"]+)\" ]]; then
    header=${BASH_REMATCH[1]}
    if [[ $header == *..* ]]; then
      violation "$where: \"$header\" goes through a parent folder; write the path from the root"
      return
    fi
    is_chosen "$file" "$header" && return
    local own=$layer
    layer_of "$header"
    local of_header=$layer
    layer=$own
    if [[ -z $of_header ]]; then
      violation "$where: \"$header\" is not a path from the root of the sources into a layer"
    else
      check_project_include "$where" "$file" "$header"
    fi
  fi
}

main() {
  local file line text count=0
  read_rules
  cd "$root"
  while IFS= read -r file; do
    count=$((count + 1))
    layer_of "$file"
    if [[ -z $layer ]]; then
      violation "$file: lies in no layer of $(basename "$rules")"
      continue
    fi
    while IFS=: read -r line text; do
      check_include "$file" "$line" "$text"
    done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "$file" || true)
  done < <(find . -type d \( -name '.*' -path './.*' -o -path './build*' -o -path ./tests -o -path ./bench \
    -o -path ./examples -o -path ./docs -o -path ./demo-run -o -path ./cmake \) -prune -o -type f \
    \( -name '*.h' -o -name '*.hpp' -o -name '*.c' -o -name '*.cpp' -o -name '*.inc' -o -name '*.def' \) \
    -print | sed 's|^\./||' | sort)
  ((count)) || { echo "$root: no source found" >&2 && exit 2; }
  if ((violations)); then
    echo "$violations violations in $count sources (rules: tests/layering/layers.rules)"
    exit 1
  fi
  echo "$count sources keep to the layers"
}

main
