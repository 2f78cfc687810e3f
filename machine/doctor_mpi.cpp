#include "machine/doctor_checks.h"

namespace apmt {
namespace {

using State = Check::State;

Check check_one(const Surroundings& around, const MpiInstallation& mpi) {
  Check check{.id = "mpi-" + mpi.family, .title = "MPI"};
  check.what = mpi.version + ", " + mpi.launcher.string();
  if (!std::filesystem::exists(around.libraries / ("libapmt-" + mpi.family + ".so"))) {
    check.state = State::kBad;
    check.what += "; but there is no libapmt-" + mpi.family + ".so";
    check.remedy = "build apmt where this MPI's mpi.h is found (its mpicc in PATH)";
    return check;
  }
  if (!around.self_test) {
    check.state = State::kNotTested;
    return check;
  }
  bool all = true;
  bool any = false;
  std::string seen_languages;
  for (const Seen& seen : self_test(mpi, around.apmt, around.probes)) {
    const char* word = seen.state == Seen::State::kYes  ? "yes"
                       : seen.state == Seen::State::kNo ? "no"
                                                        : "not tested";
    seen_languages += (seen_languages.empty() ? "" : ", ") + seen.language + " " + word;
    if (!seen.why.empty()) check.details.push_back(seen.language + ": " + seen.why);
    if (seen.state == Seen::State::kNo) all = false;
    if (seen.state != Seen::State::kNotTested) any = true;
  }
  check.what += "; seen in two ranks: " + seen_languages;
  if (!any) {
    check.state = State::kNotTested;
    check.remedy = "put this MPI's compilers (mpicc, mpif90) into PATH for a self test";
  } else if (!all) {
    check.state = State::kBad;
    check.remedy = "programs in that language would be recorded only in part; see the lines above";
  }
  return check;
}

}  // namespace

std::vector<Check> check_mpi(const Surroundings& around) {
  std::vector<std::string> unknown;
  const std::vector<MpiInstallation> installed = find_mpi(around.search_path, &unknown);
  std::vector<Check> checks;
  for (const MpiInstallation& mpi : installed) checks.push_back(check_one(around, mpi));
  if (installed.empty())
    checks.push_back({.id = "mpi",
                      .title = "MPI",
                      .state = State::kBad,
                      .what = "no mpirun or mpiexec of a known MPI in PATH",
                      .remedy = "load the module of your MPI, or install one (Open MPI, MPICH)",
                      .details = unknown});
  if (installed.size() > 1) {
    checks.push_back({.id = "mpi-several",
                      .title = "MPI",
                      .what = std::to_string(installed.size()) +
                              " families are installed; start a program with "
                              "the launcher of the MPI it was built with"});
  }
  return checks;
}

}  // namespace apmt
