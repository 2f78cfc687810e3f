#include "fitter/prediction/validate_counts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace apmt {
namespace {

constexpr double kRoundedCount = 1e-9;

void predict(const CountLaw& law, double procs, double work, CountCheck* check) {
  if (law.hypotheses.empty()) return;
  check->predicted = law.value(procs, work);
  check->low = law.low(procs, work);
  check->high = law.high(procs, work);
}

bool is_nothing(const CountCheck& check) {
  return check.measured == 0 && check.predicted.value_or(0) == 0;
}

Json json_of(const CountCheck& check) {
  const bool is_predicted = check.predicted.has_value();
  const std::optional<double> error = check.error();
  return {{"predicted", is_predicted ? Json(*check.predicted) : Json()},
          {"low", is_predicted ? Json(check.low) : Json()},
          {"high", is_predicted ? Json(check.high) : Json()},
          {"measured", check.measured},
          {"error", error ? Json(*error) : Json()},
          {"covered", check.is_covered()}};
}

}  // namespace

std::optional<double> CountCheck::error() const {
  if (!predicted || measured == 0) return std::nullopt;
  return *predicted / measured - 1;
}

bool CountCheck::is_covered() const {
  return predicted && measured >= low * (1 - kRoundedCount) &&
         measured <= high * (1 + kRoundedCount);
}

std::vector<OperationCheck> check_counts(const Model& model, const std::vector<CountModel>& counted,
                                         std::size_t point, double procs, double work) {
  std::map<std::string, OperationCheck> by_name;
  for (const CountModel& count : model.counts) {
    OperationCheck& check = by_name[count.op];
    predict(count.calls, procs, work, &check.calls);
    predict(count.bytes, procs, work, &check.bytes);
  }
  for (const CountModel& counts : counted) {
    OperationCheck& check = by_name[counts.op];
    check.calls.measured = counts.calls_points[point].value;
    check.bytes.measured = counts.bytes_points[point].value;
  }
  std::vector<OperationCheck> checks;
  for (auto& [op, check] : by_name) {
    check.op = op;
    if (!is_nothing(check.calls) || !is_nothing(check.bytes)) checks.push_back(std::move(check));
  }
  std::stable_sort(checks.begin(), checks.end(), [](const auto& a, const auto& b) {
    return std::tie(a.bytes.measured, a.calls.measured) >
           std::tie(b.bytes.measured, b.calls.measured);
  });
  return checks;
}

Json to_json(const std::vector<OperationCheck>& checks) {
  Json list = Json::array();
  for (const OperationCheck& check : checks)
    list.push_back(
        {{"op", check.op}, {"calls", json_of(check.calls)}, {"bytes", json_of(check.bytes)}});
  return list;
}

}  // namespace apmt
