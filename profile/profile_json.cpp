// Reads and writes profile.json. The tables in profile_fields.h name the fields; this file adds the
// name and version of the format, and checks them when it reads.
#include <utility>

#include "base/atomic_file.h"
#include "base/json_fields.h"
#include "profile/profile_fields.h"
#include "profile/profile_rules.h"
#include "profile/run_profile.h"

namespace apmt {

std::string to_string(Grade grade) { return kGrades[static_cast<std::size_t>(grade)]; }
std::string to_string(Provenance provenance) {
  return kProvenances[static_cast<std::size_t>(provenance)];
}
Grade grade_from(const JsonAt& json) { return struct_from<Grade>(json); }
Provenance provenance_from(const JsonAt& json) { return struct_from<Provenance>(json); }

Json to_json(const RunProfile& profile) {
  Json json = struct_to_json(profile);
  json["format"] = RunProfile::kFormat;
  json["format_version"] = std::to_string(RunProfile::kMajor) + ".0";
  return json;
}

void RunProfile::check(const std::string& file) const {
  check_struct(*this, file);
  check_rules_across_fields(*this, file);
}

namespace {

/// The summaries of counters are not read, but a file in which they contradict the counters was
/// damaged or changed.
void check_summaries(const JsonAt& json, const RunProfile& profile) {
  auto kernel = profile.kernels.begin();
  json.at("kernels").for_each([&](const JsonAt& at) {
    at.at("counters").for_each_member([&](const std::string& metric, const JsonAt& counter) {
      check_derived_numbers(counter, kernel->counters.at(metric));
    });
    ++kernel;
  });
}

}  // namespace

RunProfile run_profile_from_json(const Json& json, const std::string& file) {
  RunProfile profile = struct_from<RunProfile>(JsonAt(json, file));
  profile.check(file);
  check_summaries(JsonAt(json, file), profile);
  return profile;
}

RunProfile read_run_profile(const std::filesystem::path& path) {
  const Json json = read_json_file(path, RunProfile::kFormat, RunProfile::kMajor);
  return run_profile_from_json(json, path.string());
}

void write_run_profile(const RunProfile& profile, const std::filesystem::path& path) {
  profile.check(path.string());
  write_file_atomically(path, format_json(to_json(profile)));
}

}  // namespace apmt
