# Functions that set how the two kinds of code in this project are compiled: offline code (ordinary C++), and code
# that is loaded into profiled programs.

set(APMT_WARNINGS -Wall -Wextra -Wshadow -Wconversion)
if(APMT_WERROR)
  list(APPEND APMT_WARNINGS -Werror)
endif()

# -O3 makes nothing faster here, and with it GCC 12 warns of nonexistent overflows inside std::string.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")

# apmt_offline_library(name sources...): a library of offline code, which may use all of C++20, exceptions and any
# package.
function(apmt_offline_library name)
  add_library(${name} STATIC ${ARGN})
  apmt_offline_options(${name})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${APMT_UNITY} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

# apmt_portable_library(name sources...): an offline library that may also be linked into shared libraries. It is
# compiled as position-independent code, so it cannot share the precompiled headers.
function(apmt_portable_library name)
  add_library(${name} STATIC ${ARGN})
  apmt_offline_flags(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${APMT_UNITY} UNITY_BUILD_BATCH_SIZE 16)
endfunction()

function(apmt_offline_options name)
  apmt_offline_flags(${name})
  apmt_precompiled_headers(apmt_pch)
  target_precompile_headers(${name} REUSE_FROM apmt_pch)
endfunction()

# For code that writes text or starts programs. It runs for milliseconds, so it is not compiled with -O2, which would
# take half as long again.
function(apmt_compile_quickly name)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# The options of a GoogleTest program. It is not optimised, because tests spend their time in the libraries.
function(apmt_test_options name)
  apmt_offline_flags(${name})
  target_compile_options(${name} PRIVATE -O0)
  apmt_precompiled_headers(apmt_test_pch <gmock/gmock.h> <gtest/gtest.h>)
  target_compile_options(apmt_test_pch PRIVATE -O0)
  target_link_libraries(apmt_test_pch PRIVATE GTest::gtest GTest::gmock)
  target_precompile_headers(${name} REUSE_FROM apmt_test_pch)
  # Most of the code of a test is templates of the standard library and of GoogleMock. Tests that are compiled together,
  # five at a time, share this code.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${APMT_UNITY} UNITY_BUILD_BATCH_SIZE 5)
endfunction()

function(apmt_offline_flags name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${APMT_WARNINGS})
  # The precompiled headers are in GCC's own heap. Unless the heap may grow beyond their size, a seventh of the time
  # of a compilation is spent on garbage collection.
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=600000>)
  if(APMT_SANITIZE)
    # With sanitizers, GCC's variable tracking takes minutes, and the code that sanitizers add causes false
    # warnings.
    target_compile_options(${name} PRIVATE -fsanitize=${APMT_SANITIZE} -fno-omit-frame-pointer -O1
      $<$<CXX_COMPILER_ID:GNU>:-fno-var-tracking-assignments -Wno-maybe-uninitialized -Wno-tsan>)
    target_link_options(${name} PUBLIC -fsanitize=${APMT_SANITIZE})
    # Under AddressSanitizer, Eigen's headers allocate in another way, so memory that our objects allocate could not
    # be freed by Ceres, which was compiled without it. The linker decides whose functions both use.
    target_compile_definitions(${name} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
  endif()
endfunction()

# Precompiles the headers that most sources include and that take longest to compile; targets share the result. This
# is for speed only: every source includes what it uses, which preset `dev` checks by building without precompiled
# headers (CMAKE_DISABLE_PRECOMPILE_HEADERS). Targets that reuse the result must be compiled with the same flags;
# only definitions and include folders may differ.
function(apmt_precompiled_headers pch)
  if(TARGET ${pch})
    return()
  endif()
  add_library(${pch} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled.cpp)
  apmt_offline_flags(${pch})
  target_precompile_headers(${pch} PRIVATE
    <algorithm> <cmath> <cstdint> <filesystem> <functional> <map> <optional> <sstream> <string>
    <string_view> <vector> <nlohmann/json.hpp> ${ARGN})
endfunction()

# apmt_inside_options(target): options for code that runs inside profiled programs: no exceptions, no RTTI, no
# libstdc++, no guard variables of static objects, thread-local variables without __tls_get_addr, and no symbols
# exported by accident.
function(apmt_inside_options name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${APMT_WARNINGS}
    -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-asynchronous-unwind-tables
    -ftls-model=initial-exec -fvisibility=hidden -fno-stack-protector -fPIC -O2)
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
endfunction()
