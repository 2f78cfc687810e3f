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
  if (node.Tag() == "!") return text;  // a quoted text
  if (text == "true") return true;
  if (text == "false") return false;
  if (text == "null" || text == "~") return nullptr;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc() && stop == end) return number;
  return text;
}

/// Converts with a limit on the size: an alias repeats the text that it refers to, which may
/// contain aliases, so a few lines of YAML could expand to more than any memory holds.
class Converter {
 public:
  explicit Converter(std::string file) : file_(std::move(file)) {}

  Json converted(const YAML::Node& node, int depth = 0) {
    if (depth > kDeepest) throw InputError(file_, "is nested too deeply");
    take(kBytesOfANode);
    if (node.IsScalar()) {
      take(node.Scalar().size());
      return scalar(node);
    }
    if (node.IsSequence()) {
      Json list = Json::array();
      for (const YAML::Node& element : node) list.push_back(converted(element, depth + 1));
      return list;
    }
    if (!node.IsMap()) return nullptr;
    Json map = Json::object();
    for (const auto& entry : node) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
      const std::string where = file_ + ":" + std::to_string(entry.first.Mark().line + 1);
      if (key.empty()) throw InputError(where, "expected a name before the colon");
      if (map.contains(key)) throw InputError(where, "\"" + key + "\" is given twice");
      take(key.size());
      map[key] = converted(entry.second, depth + 1);
    }
    return map;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  static constexpr std::size_t kBytesOfANode = 8;

  void take(std::size_t bytes) {
    taken_bytes_ += bytes;
    if (taken_bytes_ > kMostBytes)
      throw InputError(file_, "its aliases (*name) expand to more than 32 MiB",
                       "write the values out, or use fewer of them");
  }

  std::string file_;
  std::size_t taken_bytes_ = 0;
};

Json load(const std::filesystem::path& path, const std::string& wanted) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20;
  const std::string file = path.string();
  Json root;
  try {
    root = Converter(file).converted(YAML::Load(read_whole_file(path, kMostBytes)));
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
    throw InputError(file, "has format_version " + version + "; this apmt reads " +
                               std::to_string(known_major) + ".x");
  return root;
}

}  // namespace apmt
