// Finds the function in the source code that a linkage name stands for. Linkage names differ
// between compilers, and one function may have several linkage names, because compilers copy and
// split functions.
#pragma once

#include <string>

namespace apmt {

struct SourceFunction {
  /// "solve", "ns::work(int)", "module::procedure"; all linkage names of a function give the same
  /// name. The main program of Fortran is "main program".
  std::string name;
  /// `name` without its scope and its parameters. If a Fortran procedure is inside another
  /// procedure (its host), gfortran's name for it contains neither the host nor the module; and if
  /// a static function of C++ is inlined, gcc's debug information contains only this part of its
  /// name. So only `simple` is the same with all compilers.
  std::string simple;
};

/// Clones (.constprop.0, .isra.0, .part.0, .cold ...) and outlined parallel regions and tasks
/// (._omp_fn.0, .omp_outlined, ..omp_par) get the name of the function from which the compiler made
/// them. C++ names are demangled. The Fortran names of gfortran (__mod_MOD_work) and of flang
/// (_QMmodPwork) give the same result, mod::work.
SourceFunction source_function(const std::string& linkage_name);

}  // namespace apmt
