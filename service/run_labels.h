// The application to which a run belongs (its name, machine and version), and the bytes whose hash
// is the id of the run.
#pragma once

#include <string>

#include "profile/run_profile.h"

namespace apmt::service {

struct RunLabels {
  std::string name;     // of the program
  std::string machine;  // processors, or the sender's name for the machine
  std::string version;  // commit, build id, or the sender's name for the version
};

/// Returns `given`, with its empty members filled in from the profile: the program's name; the
/// models of the processors; and the version, as in `apmt history`. Throws InputError for a label
/// that is too long, not UTF-8, or has control characters.
RunLabels labels_of(const RunProfile& profile, const RunLabels& given);

/// The profile as JSON without spaces, with sorted keys. Equal profiles have equal bytes, however
/// their files are formatted.
std::string canonical_bytes(const RunProfile& profile);

/// Parses and checks the text of a profile.json. Throws InputError also for JSON that would take
/// far more memory than its text: too deep, or with too many values.
RunProfile profile_from_text(const std::string& text, const std::string& name);

}  // namespace apmt::service
