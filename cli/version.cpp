#include "cli/version.h"

#include <vector>

#include "base/checked_json.h"
#include "cli/installation.h"
#include "fitter/model.h"
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
  const std::string commit = *kCommit == '\0' ? "not known" : kCommit;
  return "apmt " APMT_VERSION "\ncommit: " + commit + "\nbuilt by: " APMT_COMPILER ", " +
         APMT_BUILD_TYPE + "\nrecorder libraries: " + listed(recorder_families()) +
         "\nformats: recording " + recording_version() + ", run profile " +
         std::to_string(RunProfile::kMajor) + ", model " + std::to_string(Model::kMajor);
}

std::string version_json() {
  const Json commit = *kCommit == '\0' ? Json() : Json(kCommit);
  std::string text = format_json({{"format", "apmt-version"},
                                  {"format_version", "1.0"},
                                  {"version", APMT_VERSION},
                                  {"commit", commit},
                                  {"compiler", APMT_COMPILER},
                                  {"build_type", APMT_BUILD_TYPE},
                                  {"recorder_libraries", recorder_families()},
                                  {"recorder_abi", format::kVersionMajor},
                                  {"formats",
                                   {{"recording", recording_version()},
                                    {RunProfile::kFormat, RunProfile::kMajor},
                                    {Model::kFormat, Model::kMajor}}}});
  text.pop_back();  // without the final newline, which the caller adds
  return text;
}

}  // namespace apmt
