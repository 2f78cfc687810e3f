#!/bin/sh
# Counts the functions of the wrapper table that the conformance programs call, with all MPIs and bindings.
# Lists the functions that no program calls, and fails if these are more than a tenth of the table. The
# programs have no branches around calls, so they call exactly the functions that they are linked to.
#
#   called.sh TABLE_FOLDER PROGRAM...
set -u
tables=$1
shift
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

sed -n -e 's/^APMT_CALL_C(\([A-Za-z_0-9]*\),.*/mpi_\1\nmpi_\1_c/p' \
  -e 's/^APMT_CALL\(_WIDE\)\{0,1\}(\([A-Za-z_0-9]*\),.*/mpi_\2/p' "$tables"/*.def |
  tr '[:upper:]' '[:lower:]' | sort -u > "$work/table"
# mpi_send_ and mpi_send_f08_ are a Fortran compiler's names for MPI_Send.
built=
for program in "$@"; do
  [ -f "$program" ] && built="$built $program"
done
# shellcheck disable=SC2086  # $built is a list of words; one nm for all programs is far quicker
nm -D --undefined-only $built | sed -n 's/^ *U p\{0,1\}\(mpi_[a-z0-9_]*\).*/\1/Ip' | tr '[:upper:]' '[:lower:]' |
  sed -e 's/_$//' -e 's/_f08\(ts\)\{0,1\}$//' | sort -u > "$work/linked"
comm -23 "$work/table" "$work/linked" > "$work/never"

all=$(wc -l < "$work/table")
never=$(wc -l < "$work/never")
[ "$all" -gt 0 ] || { echo "no table in $tables"; exit 2; }
echo "$((all - never)) of $all functions are called by a conformance program. Not called:"
sed 's/^/  /' "$work/never"
[ $((never * 10)) -le "$all" ]
