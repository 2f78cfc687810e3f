#include "fitter/prior_data.h"

#include <yaml-cpp/yaml.h>

#include "base/fraction.h"

namespace apmt {
namespace {

Json from_yaml(const YAML::Node& node) {
  Json json;
  if (node.IsMap()) {
    for (const auto& member : node) json[member.first.Scalar()] = from_yaml(member.second);
  } else if (node.IsSequence()) {
    for (const YAML::Node& item : node) json.push_back(from_yaml(item));
  } else {
    const std::optional<double> number = fraction(node.Scalar());
    json = number ? Json(*number) : Json(node.Scalar());
  }
  return json;
}

}  // namespace

const Json& prior_data() {
  static const Json data = from_yaml(YAML::Load(prior_text()));
  return data;
}

}  // namespace apmt
