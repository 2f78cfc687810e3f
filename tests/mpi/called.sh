#!/bin/sh
# Counts the functions of the wrapper table that the conformance programs call, with all MPIs and bindings,
# and lists those that no program calls. Fails if one of these is not in the list `known` below, although one
# of the MPI libraries has it. The programs have no branches around calls, so they call exactly the functions
# that they are linked to.
#
#   called.sh TABLE_FOLDER PROGRAM...
set -u
# Functions that need not be called: MPI_Abort ends the program, MPI_Comm_join needs a socket to another
# process; the others have no test yet.
known='mpi_abort
mpi_comm_join
mpi_intercomm_create_from_groups
mpi_register_datarep
mpi_register_datarep_c
mpi_status_set_elements_c'
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
[ -n "$built" ] || { echo "no program is built"; exit 2; }
# shellcheck disable=SC2086  # $built is a list of words; one nm for all programs is far quicker
nm -D --undefined-only $built | sed -n 's/^ *U p\{0,1\}\(mpi_[a-z0-9_]*\).*/\1/Ip' | tr '[:upper:]' '[:lower:]' |
  sed -e 's/_$//' -e 's/_f08\(ts\)\{0,1\}$//' | sort -u > "$work/linked"
comm -23 "$work/table" "$work/linked" > "$work/never"

all=$(wc -l < "$work/table")
[ "$all" -gt 0 ] || { echo "no table in $tables"; exit 2; }
echo "$((all - $(wc -l < "$work/never"))) of $all functions are called by a conformance program. Not called:"
sed 's/^/  /' "$work/never"

# shellcheck disable=SC2046,SC2086
nm -D --defined-only $(ldd $built | sed -n 's/.*=> \(.*libmpi[^ ]*\) .*/\1/p' | sort -u) |
  sed -n 's/^[0-9a-f]* [TW] \(mpi_[a-z0-9_]*\)$/\1/Ip' | tr '[:upper:]' '[:lower:]' | sort -u > "$work/in_libraries"
[ -s "$work/in_libraries" ] || { echo "the programs are linked to no MPI library"; exit 2; }
echo "$known" | sort > "$work/known"
comm -12 "$work/never" "$work/in_libraries" | comm -23 - "$work/known" > "$work/untested"
[ -s "$work/untested" ] || exit 0
echo "Add calls of these functions to a program in tests/mpi:"
sed 's/^/  /' "$work/untested"
exit 1
