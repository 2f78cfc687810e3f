// Prints a YAML file as JSON, so that it can be validated by a schema. Plain scalars are numbers,
// booleans or null where YAML's core schema says so; quoted ones are text.
// Usage: yaml_as_json FILE.yaml
#include <yaml-cpp/yaml.h>

#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using nlohmann::json;

json of_plain(const std::string& text) {
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  const char* first = text.data() + (text[0] == '+' ? 1 : 0);
  const char* last = text.data() + text.size();
  long long integer = 0;
  if (const auto [end, error] = std::from_chars(first, last, integer);
      end == last && error == std::errc())
    return integer;
  double number = 0;
  if (const auto [end, error] = std::from_chars(first, last, number);
      end == last && error == std::errc())
    return number;
  return text;
}

json as_json(const YAML::Node& node) {
  if (node.IsMap()) {
    json object = json::object();
    for (const auto& entry : node) object[entry.first.Scalar()] = as_json(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    json list = json::array();
    for (const auto& item : node) list.push_back(as_json(item));
    return list;
  }
  if (!node.IsScalar()) return nullptr;
  return node.Tag() == "!" ? json(node.Scalar()) : of_plain(node.Scalar());  // "!": quoted
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::cout << as_json(YAML::LoadFile(argv[1])).dump(1) << "\n";
  return 0;
}
