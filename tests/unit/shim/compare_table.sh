#!/bin/sh
# compare_table.sh TABLE_NAMES LIBRARY_NAME PROGRAM: compares the table of wrappers with the functions that an MPI
# library exports. PROGRAM is linked with this library, so ldd finds it. Fails if the MPI has a function that is not in
# the table; lists the functions that the MPI does not have. Not compared are names in capitals, which are constants and
# predefined functions, and MPI_Type_create_indexed, which only SMPI has.
set -eu
table=$1 name=$2 program=$3
library=$(ldd "$program" | awk -v name="$name" '$1 ~ "^" name "\\.so" {print $3; exit}')
[ -n "$library" ] || { echo "$program is not linked with $name"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LC_ALL=C
"$table" | awk '{print $2}' | sort > "$work/known"
if [ -n "$(uniq -d "$work/known")" ]; then
  echo "twice in the table:"; uniq -d "$work/known"
  exit 1
fi
nm -D --defined-only "$library" | awk '$2 ~ /[TWi]/ {sub(/@.*/, "", $3); print $3}' |
  grep -E '^MPI_' | grep -vE '^MPI_([A-Z0-9_]+|Type_create_indexed)$' | sort > "$work/exported"
echo "$library exports $(wc -l < "$work/exported") functions; the table knows $(wc -l < "$work/known")"
echo "This MPI lacks:"
comm -23 "$work/known" "$work/exported" | tr '\n' ' ' | fold -s -w 100
echo
comm -13 "$work/known" "$work/exported" > "$work/missing"
if [ -s "$work/missing" ]; then
  echo "Not in the table:"
  cat "$work/missing"
  exit 1
fi
