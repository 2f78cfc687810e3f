#include "reports/threshold.h"

#include <algorithm>

#include "reports/numbers.h"
#include "reports/vocabulary.h"

namespace apmt {
namespace {

/// "At 64 processes (n = 4096)"
std::string where(const Prediction& p) {
  return "At " + processes(p.procs) + (p.params.empty() ? "" : " (" + params_words(p.params) + ")");
}

/// Words that qualify a verdict because a part is missing or the extrapolation goes too far.
std::string reservation(const Prediction& prediction) {
  if (prediction.worthless) return "; no verdict is possible so far beyond the profiled counts";
  if (!prediction.missing.empty())
    return "; not known: " + join_list(words_of_parts(prediction.missing));
  return {};
}

Verdict time_verdict(const Prediction& p, const Thresholds& thresholds) {
  Verdict verdict;
  verdict.procs = p.procs;
  verdict.params = p.params;
  verdict.quantity = "time_s";
  verdict.threshold = *thresholds.max_time_s;
  verdict.value = thresholds.sure ? p.time.high_s : p.time.time_s;
  verdict.measured_s = p.measured_s;
  const bool below = std::max(*verdict.value, p.measured_s.value_or(0)) <= verdict.threshold;
  // If a part is unknown, the true time is longer than the predicted time. So if the predicted time
  // is above the limit, the limit is certainly missed; but if it is below, the limit may still be
  // missed.
  verdict.is_met = below && p.missing.empty() && !p.worthless;
  verdict.sentence =
      where(p) + " expect " + format_estimate(p.time, p.confidence) +
      (p.measured_s ? " (measured: " + format_seconds(*p.measured_s) + ")" : "") + ", at most " +
      format_seconds(verdict.threshold) + " allowed" +
      (thresholds.sure ? " at the upper end of the interval (" + format_seconds(p.time.high_s) + ")"
                       : std::string()) +
      ": " + (verdict.is_met ? "met" : "not met") + reservation(p) + ".";
  return verdict;
}

Verdict efficiency_verdict(const Prediction& p, const Thresholds& thresholds) {
  Verdict verdict;
  verdict.procs = p.procs;
  verdict.params = p.params;
  verdict.quantity = "efficiency";
  verdict.threshold = *thresholds.min_efficiency;
  verdict.value = p.efficiency;
  if (p.efficiency && thresholds.sure && p.time.high_s > 0)
    verdict.value = *p.efficiency * p.time.time_s / p.time.high_s;
  verdict.is_met =
      verdict.value && *verdict.value >= verdict.threshold && p.missing.empty() && !p.worthless;
  verdict.sentence = where(p) + " expect " +
                     (verdict.value ? "an efficiency of " + format_share(*verdict.value)
                                    : std::string("an unknown efficiency")) +
                     (thresholds.sure ? " at the worse end of the interval" : "") + " against " +
                     processes(p.reference_procs) + ", at least " +
                     format_share(verdict.threshold) +
                     " required: " + (verdict.is_met ? "met" : "not met") + reservation(p) + ".";
  return verdict;
}

}  // namespace

std::vector<Verdict> check_thresholds(const std::vector<Prediction>& predictions,
                                      const Thresholds& thresholds) {
  std::vector<Verdict> verdicts;
  for (const Prediction& prediction : predictions) {
    if (thresholds.max_time_s) verdicts.push_back(time_verdict(prediction, thresholds));
    if (thresholds.min_efficiency) verdicts.push_back(efficiency_verdict(prediction, thresholds));
  }
  return verdicts;
}

Json to_json(const std::vector<Verdict>& verdicts, const std::vector<std::string>& warnings) {
  Json list = Json::array();
  for (const Verdict& verdict : verdicts)
    list.push_back({{"procs", verdict.procs},
                    {"params", verdict.params},
                    {"quantity", verdict.quantity},
                    {"threshold", verdict.threshold},
                    {"value", json_or_null(verdict.value)},
                    {"measured_s", json_or_null(verdict.measured_s)},
                    {"met", verdict.is_met},
                    {"sentence", verdict.sentence},
                    {"warnings", warnings}});
  return list;
}

}  // namespace apmt
