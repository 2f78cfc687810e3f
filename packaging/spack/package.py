# Copyright (c) 2026 The apmt authors. MIT License, see LICENSE.
#
# The recipe for Spack 1.0 or later. Put it into a repository of your own:
#   spack repo create FOLDER NAME     (the last line that this prints says where the repository is)
#   spack repo add FOLDER/spack_repo/NAME
#   mkdir FOLDER/spack_repo/NAME/packages/apmt
#   cp packaging/spack/package.py FOLDER/spack_repo/NAME/packages/apmt
# No release has been published, so the recipe builds an existing source tree:
#   spack dev-build apmt@0.1.0        (in the source tree)

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Apmt(CMakePackage):
    """Predicts how an MPI program scales, from a few small profiled runs of it."""

    license("MIT")

    version("0.1.0")

    variant("runtime_only", default=False, description="Build only what is loaded into profiled programs")
    variant("smpi", default=False, description="Record on clusters that SimGrid simulates")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("papi@7:")
    depends_on("mpi")
    depends_on("simgrid@3.32:", when="+smpi")
    with when("~runtime_only"):
        depends_on("libpfm4@4.12:")
        depends_on("ceres-solver@2:")
        depends_on("elfutils")
        depends_on("hwloc@2:")
        depends_on("zlib-api")
        depends_on("expat@2:")
        depends_on("nlohmann-json@3:")
        depends_on("yaml-cpp")
        depends_on("libsvm")
        depends_on("spdlog")
        depends_on("cli11@2.1:2")
        depends_on("valgrind")

    conflicts("%gcc@:11", when="~runtime_only", msg="apmt is written in C++20")

    def cmake_args(self):
        return [
            self.define_from_variant("APMT_RUNTIME_ONLY", "runtime_only"),
            self.define("APMT_BUILD_TESTS", False),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        if self.spec.satisfies("~runtime_only"):
            Executable(self.prefix.bin.apmt)("--version")
