# The environment in which every test starts MPI programs. CTest includes this file before it runs tests
# (TEST_INCLUDE_FILES in the CMakeLists.txt of the sources), so no test sets these variables itself. Several tests run
# at once, often with more ranks than there are cores.
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(ENV{OMPI_MCA_rmaps_base_oversubscribe} 1)
set(ENV{OMPI_MCA_hwloc_base_binding_policy} none) # otherwise the ranks of all tests are bound to the same first cores
set(ENV{OMPI_MCA_mpi_yield_when_idle} 1)          # waiting ranks must not keep the others from running
# MPICH does not bind ranks and allows any number of them. No variable makes its waiting ranks yield, so
# mpich_yield.c is linked into its test programs.

# hwloc's OpenCL plugin would load an installed PoCL into every MPI program, and PoCL installs its own handler of
# SIGSEGV.
if(NOT DEFINED ENV{HWLOC_COMPONENTS})
  set(ENV{HWLOC_COMPONENTS} -opencl)
endif()
