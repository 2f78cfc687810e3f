#!/bin/sh
# environment.sh OMPI_INFO: checks that Open MPI gets the settings of tests/mpi_environment.cmake from the environment,
# and that HWLOC_COMPONENTS is set.
set -u
settings=$("$1" --all --parsable) || exit 2
failed=0
for setting in mpi_yield_when_idle:value:true hwloc_base_binding_policy:value:none rmaps_base_oversubscribe:value:true; do
  echo "$settings" | grep -q ":$setting\$" || { echo "not set: $setting"; failed=1; }
done
[ -n "${HWLOC_COMPONENTS:-}" ] || { echo "not set: HWLOC_COMPONENTS"; failed=1; }
exit $failed
