#include "cli/version.h"

#include <vector>

#include "base/checked_json.h"
#include "base/search_path.h"
#include "cli/installation.h"
#include "fitter/model/model.h"
#include "machine/papi_counters.h"
#include "profile/run_profile.h"
#include "profiler/profile_format.h"

namespace apmt {
namespace {

namespace fs = std::filesystem;

/// The MPI families whose recording library is installed. An incomplete installation may have none,
/// and the version is still printed.
std::vector<std::string> recorder_families() {
  std::vector<std::string> found;
  const fs::path command = fs::read_symlink("/proc/self/exe");
  for (const char* family : {"openmpi", "mpich", "smpi", "serial"})
    if (fs::exists(command.parent_path() / ("../" APMT_LIBRARY_DIR "/libapmt-") +=
                   std::string(family) + ".so"))
      found.emplace_back(family);
  return found;
}

/// A feature that a build or a machine may lack. `field` is its name in the JSON.
struct OptionalPart {
  const char* field;
  const char* words;
  bool is_there;
};

bool is_built(const char* library) {
  return fs::exists(fs::read_symlink("/proc/self/exe").parent_path() / "../" APMT_LIBRARY_DIR /
                    library);
}

bool is_in_path(const char* program) {
  return !find_in_path(program, program_search_path()).empty();
}

std::vector<OptionalPart> optional_parts() {
  return {{"papi", "counters of processors (PAPI)", !problem_with_papi()},
          {"simgrid", "virtual clusters (SimGrid)",
           is_built("libapmt-smpi.so") && is_in_path("smpirun")},
          {"valgrind", "simulated counters (valgrind)", is_in_path("valgrind")},
          {"kernels", "analysis of kernels (LLVM 19)",
           is_built("apmt/libapmt-kernels-pass.so") && is_in_path("clang-19")},
          {"opencl", "analysis of OpenCL kernels (Oclgrind)",
           is_built("apmt/libapmt-oclgrind.so") && is_in_path("oclgrind")},
          {"service", "models on a server (apmt serve)",
           APMT_HAS_SERVICE && fs::exists(full_program_path())}};
}

std::string recording_version() {
  return std::to_string(format::kVersionMajor) + "." + std::to_string(format::kVersionMinor);
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

}  // namespace

std::string version_text() {
  std::vector<std::string> present;
  std::vector<std::string> missing;
  for (const OptionalPart& feature : optional_parts())
    (feature.is_there ? present : missing).emplace_back(feature.words);
  const std::string commit = *kCommit == '\0' ? "not known" : kCommit;
  return "apmt " APMT_VERSION "\ncommit: " + commit + "\nbuilt by: " APMT_COMPILER ", " +
         APMT_BUILD_TYPE + "\nrecorder libraries: " + listed(recorder_families()) +
         "\nfeatures: " + listed(present) + "\nnot here: " + listed(missing) +
         "\nformats: recording " + recording_version() + ", run profile " +
         std::to_string(RunProfile::kMajor) + ", model " + std::to_string(Model::kMajor);
}

std::string version_json() {
  Json found = Json::object();
  for (const OptionalPart& feature : optional_parts()) found[feature.field] = feature.is_there;
  const Json commit = *kCommit == '\0' ? Json() : Json(kCommit);
  std::string text = format_json({{"format", "apmt-version"},
                                  {"format_version", "1.0"},
                                  {"version", APMT_VERSION},
                                  {"commit", commit},
                                  {"compiler", APMT_COMPILER},
                                  {"build_type", APMT_BUILD_TYPE},
                                  {"recorder_libraries", recorder_families()},
                                  {"features", found},
                                  {"recorder_abi", format::kVersionMajor},
                                  {"formats",
                                   {{"recording", recording_version()},
                                    {RunProfile::kFormat, RunProfile::kMajor},
                                    {Model::kFormat, Model::kMajor}}}});
  text.pop_back();  // without the final newline, which the caller adds
  return text;
}

}  // namespace apmt
