#include "fitter/model/cost_estimates.h"

namespace apmt {
namespace {

Json estimate_to_json(const CostEstimate& e) {
  return {{"value", e.value}, {"ln_sd", json_or_null(e.ln_sd)}};
}

CostEstimate estimate_from(const JsonAt& json) {
  return {json.at("value").non_negative(), json.number_or_null("ln_sd")};
}

}  // namespace

std::string to_string(MemoryForm form) {
  switch (form) {
    case MemoryForm::kWaits:
      return "waits";
    case MemoryForm::kLate:
      return "late";
    case MemoryForm::kStreams:
      break;
  }
  return "streams";
}

Json to_json(const KernelCostEstimates& costs) {
  return {{"form", to_string(costs.form)},
          {"form_probability", costs.form_probability},
          {"core_s", estimate_to_json(costs.core_s)},
          {"memory", estimate_to_json(costs.memory)}};
}

KernelCostEstimates kernel_cost_estimates_from(const JsonAt& json) {
  KernelCostEstimates costs;
  const std::string name = json.at("form").string();
  bool is_known = false;
  for (const MemoryForm form : kMemoryForms) {
    if (name != to_string(form)) continue;
    costs.form = form;
    is_known = true;
  }
  if (!is_known) json.at("form").fail("'waits', 'late' or 'streams'");
  costs.form_probability = json.at("form_probability").non_negative();
  costs.core_s = estimate_from(json.at("core_s"));
  costs.memory = estimate_from(json.at("memory"));
  return costs;
}

Json to_json(const SharedCostEstimates& costs) {
  return {{"latency", estimate_to_json(costs.latency)},
          {"transfer", estimate_to_json(costs.transfer)}};
}

SharedCostEstimates shared_cost_estimates_from(const JsonAt& json) {
  return {estimate_from(json.at("latency")), estimate_from(json.at("transfer"))};
}

}  // namespace apmt
