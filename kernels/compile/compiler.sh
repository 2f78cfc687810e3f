#!/bin/sh
# Runs in place of a compiler of the same name: apmt analyze build puts the folder of these scripts
# at the front of PATH, and CMake stores their paths in its cache.
here=$(dirname "$(readlink -f "$0")")
case ${0##*/} in
  gfortran* | flang* | f77 | f90 | f95) language=fc ;;
  *++*) language=c++ ;;
  *) language=cc ;;
esac
exec "$here/@APMT_FROM_COMPILERS_TO_BIN@/apmt" analyze "$language" "$@"
