// Reads and writes analysis.json; the fields are described in analysis_fields.h.
#include "base/atomic_file.h"
#include "base/json_fields.h"
#include "kernels/analysis.h"
#include "kernels/analysis_fields.h"

namespace apmt::kernels {
namespace {
constexpr const char* kFormat = "apmt-analysis";
constexpr int kMajor = 1;
}  // namespace

std::string analysis_to_json(const Analysis& analysis) {
  Json json = struct_to_json(analysis);
  json["format"] = kFormat;
  json["format_version"] = std::to_string(kMajor) + ".0";
  return format_json(json);
}

Analysis read_analysis(const std::filesystem::path& path) {
  const Json json = read_json_file(path, kFormat, kMajor);
  Analysis analysis = struct_from<Analysis>(JsonAt(json, path.string()));
  check_struct(analysis, path.string());
  return analysis;
}

void write_analysis(const Analysis& analysis, const std::filesystem::path& path) {
  write_file_atomically(path, analysis_to_json(analysis));
}

}  // namespace apmt::kernels
