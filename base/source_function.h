// The function in the source for which a linkage name stands. The name differs between compilers,
// and one function may have several, because compilers copy and split functions.
#pragma once

#include <string>

namespace apmt {

struct SourceFunction {
  /// Equal for all names of a function: "solve", "ns::work(int)", "module::procedure". The main
  /// program of Fortran is "main program".
  std::string name;
  /// The last part of the name of a Fortran procedure, or `name`. gfortran leaves out the names
  /// around a procedure that another one contains.
  std::string simple;
};

/// Folds what compilers make of a function into that function: clones (.constprop.0, .isra.0,
/// .part.0, .cold ...), outlined parallel regions and tasks (._omp_fn.0, .omp_outlined, ..omp_par).
/// C++ is demangled; Fortran names of gfortran (__mod_MOD_work) and flang (_QMmodPwork) are alike.
SourceFunction source_function(const std::string& linkage_name);

}  // namespace apmt
