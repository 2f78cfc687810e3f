#include "fitter/prior_data.h"

#include <yaml-cpp/yaml.h>

#include <stdexcept>

#include "base/fraction.h"
#include "fitter/prior_text.h"

namespace apmt {

PriorData::PriorData(const YAML::Node& node) : node_(std::make_shared<YAML::Node>(node)) {}

PriorData PriorData::all() { return PriorData(YAML::Load(prior_text())); }

void PriorData::fail(const std::string& expected) const {
  throw std::logic_error("configs/priors.yaml:" + std::to_string(node_->Mark().line + 1) +
                         ": expected " + expected);
}

bool PriorData::is_map() const { return node_->IsMap(); }

bool PriorData::has(const std::string& key) const { return is_map() && (*node_)[key].IsDefined(); }

PriorData PriorData::at(const std::string& key) const {
  if (!has(key)) fail("a member '" + key + "'");
  return PriorData((*node_)[key]);
}

std::vector<PriorData> PriorData::items() const {
  if (!node_->IsSequence()) fail("a list");
  std::vector<PriorData> items;
  for (const YAML::Node& item : *node_) items.push_back(PriorData(item));
  return items;
}

std::string PriorData::text() const {
  if (!node_->IsScalar()) fail("a single value");
  return node_->Scalar();
}

double PriorData::number() const {
  const std::optional<double> value = fraction(text());
  if (!value) fail("a number or fraction");
  return *value;
}

}  // namespace apmt
