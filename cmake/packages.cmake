# Settings for packages: `cpack -G DEB` and `cpack -G RPM` in a build folder package the files that `cmake
# --install` would install under /usr.
set(CPACK_PACKAGE_NAME apmt)
set(CPACK_PACKAGE_VENDOR "apmt")
set(CPACK_PACKAGE_CONTACT "The apmt authors <apmt@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Predicts how an MPI program scales from a few small runs of it")
set(CPACK_PACKAGE_DESCRIPTION "apmt profiles an unmodified MPI program at a few small process counts (sampling and
 MPI interposition), fits a model to each function, and predicts the time at larger process counts with an interval.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
# dpkg-shlibdeps finds the libraries to which the command apmt is linked. The recorder needs only libc; it loads
# PAPI if PAPI is installed.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libpapi7.0, openmpi-bin | mpich")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "valgrind, libsimgrid-dev, python3")

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE MIT)
set(CPACK_RPM_PACKAGE_GROUP "Applications/Engineering")
set(CPACK_RPM_PACKAGE_DESCRIPTION "${CPACK_PACKAGE_DESCRIPTION}") # otherwise the text of CPack's template
# The libraries in lib/apmt are loaded by apmt alone: no other package may depend on them. CPackRPM writes the tag
# Suggests only if rpmbuild's help mentions it, so the tags are in this text, which CPackRPM copies into the spec file.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __provides_exclude_from ^/usr/${CMAKE_INSTALL_LIBDIR}/apmt/.*$
Suggests: papi
Suggests: openmpi
Suggests: valgrind")
# Folders that belong to other packages, so that this package must not contain them.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr/libexec /usr/share/man /usr/share/man/man1 /usr/share/bash-completion /usr/share/bash-completion/completions
  /usr/share/zsh /usr/share/zsh/site-functions /usr/share/zsh/vendor-completions /usr/share/fish /usr/share/fish/vendor_completions.d
  /usr/lib/systemd /usr/lib/systemd/system)
include(CPack)
