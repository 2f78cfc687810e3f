#include "reports/guidance_words.h"

#include "reports/numbers.h"

namespace apmt {
namespace {

constexpr double kWorthwhile = 0.1;  // a part with at least this share of the time gets advice
constexpr double kMostly = 0.75;     // if latency or bandwidth has this share, only it gets advice

}  // namespace

bool is_worthwhile(const std::optional<TimeEstimate>& part, const Prediction& target) {
  return part && target.time.time_s > 0 && part->time_s >= kWorthwhile * target.time.time_s &&
         part->low_s >= kCertainly * target.time.time_s;
}

std::string share_of(const TimeEstimate& part, const Prediction& target) {
  return format_seconds(part.time_s, 2) + ", " + format_share(part.time_s / target.time.time_s) +
         " of the time at " + processes(target.procs);
}

std::string cost_words(const std::string& what, const char* costs,
                       const std::optional<TimeEstimate>& part, const Prediction& target) {
  if (is_worthwhile(part, target)) return what + " " + costs + " " + share_of(*part, target);
  if (!part || target.time.time_s <= 0 || part->time_s < kWorthwhile * target.time.time_s)
    return {};
  return what + " may cost " + share_of(*part, target) + " (" +
         format_seconds_range(part->low_s, part->high_s) + ", " + format_share(target.confidence) +
         ")";
}

std::string remedy(const std::optional<double>& latency, const std::string& if_latency,
                   const std::string& if_bandwidth) {
  if (!latency)
    return "These runs do not separate latency from bandwidth: measure the network (apmt "
           "calibrate), then ask apmt predict for a what-if.";
  const std::string shares = "Of that, latency is " + format_share(*latency);
  if (*latency >= kMostly) return shares + ": " + if_latency + ".";
  if (*latency <= 1 - kMostly)
    return "Of that, bandwidth is " + format_share(1 - *latency) + ": " + if_bandwidth + ".";
  return shares + " and bandwidth the rest: " + if_latency + "; " + if_bandwidth + ".";
}

}  // namespace apmt
