#include "machine/yaml_json.h"

#include <yaml-cpp/yaml.h>

#include <charconv>

#include "base/atomic_file.h"
#include "base/input_error.h"

namespace apmt {
namespace {

constexpr int kDeepest = 20;

Json scalar(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (node.Tag() == "!") return text;  // quoted
  if (text == "true") return true;
  if (text == "false") return false;
  if (text == "null" || text == "~") return nullptr;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  return text;
}

Json to_json(const YAML::Node& node, const std::string& file, int depth) {
  if (depth > kDeepest) throw InputError(file, "is nested too deeply");
  if (node.IsScalar()) return scalar(node);
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& element : node) list.push_back(to_json(element, file, depth + 1));
    return list;
  }
  if (!node.IsMap()) return nullptr;
  Json map = Json::object();
  for (const auto& entry : node) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    const std::string where = file + ":" + std::to_string(entry.first.Mark().line + 1);
    if (key.empty()) throw InputError(where, "expected a name before the colon");
    if (map.contains(key)) throw InputError(where, "\"" + key + "\" is given twice");
    map[key] = to_json(entry.second, file, depth + 1);
  }
  return map;
}

Json load(const std::filesystem::path& path, const std::string& wanted) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20;
  const std::string file = path.string();
  Json root;
  try {
    root = to_json(YAML::Load(read_whole_file(path, kMostBytes)), file, 0);
  } catch (const YAML::Exception& error) {
    throw InputError(file + ":" + std::to_string(error.mark.line + 1), "is not YAML: " + error.msg);
  }
  if (!root.is_object()) throw InputError(file, "is empty; expected \"format: " + wanted + "\"");
  return root;
}

}  // namespace

std::string yaml_format(const std::filesystem::path& path) {
  const Json root = load(path, "...");
  return JsonAt(root, path.string()).at("format").string();
}

Json read_yaml_file(const std::filesystem::path& path, const std::string& format, int known_major) {
  const std::string file = path.string();
  Json root = load(path, format);
  const JsonAt at(root, file);
  if (at.at("format").string() != format)
    throw InputError(file, "expected \"format: " + format + "\"");
  const std::string version = at.at("format_version").string();
  if (version.substr(0, version.find('.')) != std::to_string(known_major))
    throw InputError(file, "has format_version " + version + "; this apmt knows " +
                               std::to_string(known_major) + ".x");
  return root;
}

}  // namespace apmt
