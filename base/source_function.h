// The function in the source for which a linkage name stands. The name differs between compilers,
// and one function may have several, because compilers copy and split functions.
#pragma once

#include <string>

namespace apmt {

struct SourceFunction {
  /// The same for all linkage names of one function: "solve", "ns::work(int)", "module::procedure".
  /// The main program of Fortran is "main program".
  std::string name;
  /// For a Fortran procedure the last part of `name`, otherwise `name`. If one procedure contains
  /// another, gfortran's name of the inner one lacks the outer one and the module.
  std::string simple;
};

/// Clones (.constprop.0, .isra.0, .part.0, .cold ...) and outlined parallel regions and tasks
/// (._omp_fn.0, .omp_outlined, ..omp_par) get the name of the function from which the compiler made
/// them. C++ names are demangled. The Fortran names of gfortran (__mod_MOD_work) and of flang
/// (_QMmodPwork) give the same result, mod::work.
SourceFunction source_function(const std::string& linkage_name);

}  // namespace apmt
