#include "machine/mpi_family.h"

#include <initializer_list>

namespace apmt {
namespace {

bool mentions(const std::string& text, std::initializer_list<const char*> marks) {
  for (const char* mark : marks)
    if (text.find(mark) != std::string::npos) return true;
  return false;
}

}  // namespace

std::string to_string(MpiFamily family) {
  switch (family) {
    case MpiFamily::kOpenMpi:
      return "openmpi";
    case MpiFamily::kMpich:
      return "mpich";
    case MpiFamily::kSmpi:
      return "smpi";
    case MpiFamily::kNone:
      break;
  }
  return "serial";
}

Finished ask_version(const std::string& launcher) {
  return run_command({{launcher, "--version"}, {}, {}, kVersionWithin_s});
}

MpiFamily family_in_words(const std::string& printed) {
  if (mentions(printed, {"Open MPI", "OpenRTE", "open-mpi"})) return MpiFamily::kOpenMpi;
  if (mentions(printed, {"HYDRA", "MPICH", "Intel(R) MPI", "mpich", "libmpifort"}))
    return MpiFamily::kMpich;
  return MpiFamily::kNone;
}

MpiFamily family_in_libraries(const std::string& libraries) {
  if (mentions(libraries, {"libsimgrid.so"})) return MpiFamily::kSmpi;
  // Open MPI 4 and 5 have libmpi.so.40. MPIs with MPICH's ABI have libmpich.so.12, libmpi.so.12
  // (Intel, MVAPICH) or libmpi_cray.
  if (mentions(libraries, {"libmpi.so.40", "libmpi.so.20", "libopen-rte.so"}))
    return MpiFamily::kOpenMpi;
  if (mentions(libraries,
               {"libmpich.so", "libmpi.so.12", "libmpi_cray", "libmpichcxx", "libmpifort.so.12"}))
    return MpiFamily::kMpich;
  return MpiFamily::kNone;
}

}  // namespace apmt
