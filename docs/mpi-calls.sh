#!/bin/sh
# mpi-calls.sh: prints mpi-calls.md, made from the tables that generate the wrappers; a test compares the output with
# the file.
cd "$(dirname "$0")/../pmpi-shim" || exit 2
cat <<'TEXT'
# The MPI functions that are recorded

The recorder has a wrapper for each function in this list. `docs/mpi-calls.sh` makes the list from
`pmpi-shim/calls/*.def`, the tables that also generate the wrappers. `[_c]` means that the function also has a
variant with 64-bit counts, which is recorded as well. Each heading gives the number of functions below it,
with these variants. An MPI library may lack some of the functions; programs for that library then cannot
call them.
TEXT
total=0
for table in $(sed -n 's,^#include "pmpi-shim/\(calls/.*\)",\1,p' mpi_calls.def); do
  names=$(sed -n -e 's/^APMT_CALL_C(\([A-Za-z_0-9]*\),.*/MPI_\1[_c]/p' -e 's/^APMT_CALL\(_WIDE\)\{0,1\}(\([A-Za-z_0-9]*\),.*/MPI_\2/p' "$table" | LC_ALL=C sort)
  count=$(printf '%s\n' "$names" | awk '{ n += /\[_c\]/ ? 2 : 1 } END { print n }')
  total=$((total + count))
  printf '\n## %s (%s)\n\n' "$(sed -n '1s,^// \(.*\)\.$,\1,p' "$table")" "$count"
  printf '%s\n' "$names" | sed 's/.*/`&`/' | paste -sd' ' - | fold -s -w 109 | sed 's/ *$//'
done
{
  printf '\n%s functions are recorded in all. Not recorded, on purpose, are:' "$total"
  cat calls/*.def mpi_calls.def | sed -n 's/^APMT_UNTOUCHED(\([A-Za-z_0-9]*\)).*/ `MPI_\1`/p' | LC_ALL=C sort | paste -sd, - | sed 's/$/./'
} | fold -s -w 109 | sed 's/ *$//'
