#include "kernels/compile/compiler_names.h"

namespace apmt {

std::map<std::string, std::string> build_environment(const std::filesystem::path& folder,
                                                     const std::string& search_path) {
  struct Role {
    const char* program;  // in the folder
    std::vector<const char*> variables;
  };
  // Variables that name the compiler: for make and configure, for Open MPI, for MPICH and MPIs
  // derived from it, and for Intel MPI.
  static const Role kRoles[] = {
      {"cc", {"CC", "OMPI_CC", "MPICH_CC", "I_MPI_CC"}},
      {"c++", {"CXX", "OMPI_CXX", "MPICH_CXX", "I_MPI_CXX"}},
      {"gfortran",
       {"FC", "F77", "F90", "OMPI_FC", "OMPI_F77", "MPICH_FC", "MPICH_F77", "MPICH_F90", "I_MPI_FC",
        "I_MPI_F77", "I_MPI_F90"}},
  };
  std::map<std::string, std::string> environment;
  environment["PATH"] = folder.string() + (search_path.empty() ? "" : ":" + search_path);
  for (const Role& role : kRoles)
    for (const char* variable : role.variables)
      environment[variable] = (folder / role.program).string();
  return environment;
}

std::string compiler_program(Language language) {
  switch (language) {
    case Language::kC:
      return "clang-19";
    case Language::kCxx:
      return "clang++-19";
    case Language::kFortran:
      break;
  }
  return "flang-new-19";
}

}  // namespace apmt
