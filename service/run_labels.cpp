#include "service/run_labels.h"

#include <algorithm>
#include <set>

#include "base/input_error.h"
#include "history/history.h"

namespace apmt::service {
namespace {

constexpr std::size_t kLongestLabel = 200;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostValues = 4'000'000;

void check_label(const std::string& label, const char* what) {
  if (label.size() > kLongestLabel)
    throw InputError(what, "is longer than " + std::to_string(kLongestLabel) + " bytes");
  if (std::any_of(label.begin(), label.end(),
                  [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw InputError(what, "contains control characters");
  try {
    (void)Json(label).dump();
  } catch (const Json::exception&) {
    throw InputError(what, "is not UTF-8");
  }
}

std::string processors(const RunProfile& profile) {
  std::set<std::string> models;
  for (const HostInfo& host : profile.hosts)
    if (!host.cpu_model.empty()) models.insert(host.cpu_model);
  std::string text;
  for (const std::string& model : models) text += (text.empty() ? "" : " + ") + model;
  if (profile.config.is_virtual) return text.empty() ? "simulated" : "simulated " + text;
  return text.empty() ? "unknown" : text;
}

/// Counts values without keeping them.
class Counter : public nlohmann::json_sax<Json> {
 public:
  explicit Counter(const std::string& name) : name_(name) {}
  bool null() override { return count(); }
  bool boolean(bool) override { return count(); }
  bool number_integer(number_integer_t) override { return count(); }
  bool number_unsigned(number_unsigned_t) override { return count(); }
  bool number_float(number_float_t, const string_t&) override { return count(); }
  bool string(string_t&) override { return count(); }
  bool binary(binary_t&) override { return count(); }
  bool key(string_t&) override { return count(); }
  bool start_object(std::size_t) override { return enter(); }
  bool start_array(std::size_t) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    throw InputError(name_, "is not JSON at byte " + std::to_string(position));
  }

 private:
  bool count() {
    if (++values_ > kMostValues)
      throw InputError(name_, "has more than " + std::to_string(kMostValues) + " values");
    return true;
  }
  bool enter() {
    if (++depth_ > kDeepest) throw InputError(name_, "is nested too deeply");
    return count();
  }
  bool leave() {
    --depth_;
    return true;
  }

  std::string name_;
  std::size_t values_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

RunLabels labels_of(const RunProfile& profile, const RunLabels& given) {
  RunLabels labels = given;
  if (labels.name.empty()) labels.name = profile.program;
  if (labels.machine.empty()) labels.machine = processors(profile).substr(0, kLongestLabel);
  if (labels.version.empty()) labels.version = version_of(profile);
  if (labels.version.empty()) labels.version = "unknown";
  if (labels.name.empty()) throw InputError("name", "is empty, and the profile has none");
  check_label(labels.name, "name");
  check_label(labels.machine, "machine");
  check_label(labels.version, "version");
  return labels;
}

std::string canonical_bytes(const RunProfile& profile) {
  return to_json(profile).dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunProfile profile_from_text(const std::string& text, const std::string& name) {
  Counter counter(name);
  Json::sax_parse(text, &counter);
  const Json json = parse_json(text, name);
  const JsonAt root(json, name);
  const std::string format = root.at("format").string();
  if (format != RunProfile::kFormat)
    throw InputError(name, "this is a '" + format + "', expected a '" + RunProfile::kFormat + "'");
  const std::string version = root.at("format_version").string();
  if (version.substr(0, version.find('.')) != std::to_string(RunProfile::kMajor))
    throw InputError(name, "format_version " + version + " is not known");
  return run_profile_from_json(json, name);
}

}  // namespace apmt::service
