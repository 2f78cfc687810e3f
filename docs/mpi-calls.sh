#!/bin/sh
# mpi-calls.sh: prints mpi-calls.md from the table that makes the wrappers; a test compares the two.
cd "$(dirname "$0")/../pmpi-shim" || exit 2
cat <<'TEXT'
# The MPI functions that are recorded

`docs/mpi-calls.sh` makes this list from `pmpi-shim/calls/*.def`, the tables from which the wrappers are made. `[_c]` means
that the function also has a variant with 64-bit counts, which is recorded as well. An MPI library may lack some of these
functions; programs for that library then cannot call them. The number of functions is given in brackets.
TEXT
total=0
for table in $(sed -n 's,^#include "pmpi-shim/\(calls/.*\)",\1,p' mpi_calls.def); do
  names=$(sed -n -e 's/^APMT_CALL_C(\([A-Za-z_0-9]*\),.*/MPI_\1[_c]/p' -e 's/^APMT_CALL\(_WIDE\)\{0,1\}(\([A-Za-z_0-9]*\),.*/MPI_\2/p' "$table" | LC_ALL=C sort)
  count=$(printf '%s\n' "$names" | awk '{ n += /\[_c\]/ ? 2 : 1 } END { print n }')
  total=$((total + count))
  printf '\n## %s (%s)\n\n' "$(sed -n '1s,^// \(.*\)\.$,\1,p' "$table")" "$count"
  printf '%s\n' "$names" | sed 's/.*/`&`/' | paste -sd' ' - | fold -s -w 120 | sed 's/ *$//'
done
printf '\n%s functions in all. These functions are deliberately not recorded:' "$total"
cat calls/*.def mpi_calls.def | sed -n 's/^APMT_UNTOUCHED(\([A-Za-z_0-9]*\)).*/ `MPI_\1`/p' | LC_ALL=C sort | paste -sd, - | sed 's/$/./'
