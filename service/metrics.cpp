#include "service/metrics.h"

#include "reports/numbers.h"

namespace apmt::service {
namespace {

void head(std::string* out, const std::string& name, const char* type, const char* help) {
  *out += "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
}

void counts(std::string* out, const std::string& name, const char* label, const char* help,
            const std::map<std::string, std::uint64_t>& values) {
  head(out, name, "counter", help);
  for (const auto& [value, count] : values)
    *out += name + "{" + label + "=\"" + value + "\"} " + std::to_string(count) + "\n";
}

}  // namespace

void Metrics::count_request(const std::string& route, int status, double seconds) {
  const std::scoped_lock lock(mutex_);
  ++requests_[{route, status}];
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  ++durations_[bucket];
  seconds_ += seconds;
}

void Metrics::count_refusal(const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  ++refusals_[reason];
}

void Metrics::count_push(const std::string& outcome) {
  const std::scoped_lock lock(mutex_);
  ++pushes_[outcome];
}

void Metrics::count_refit(const std::string& outcome, int judged) {
  const std::scoped_lock lock(mutex_);
  ++refits_[outcome];
  forecasts_ += static_cast<std::uint64_t>(judged);
}

std::string Metrics::text(const std::map<std::string, double>& gauges) const {
  const std::scoped_lock lock(mutex_);
  std::string out;
  head(&out, "apmt_http_requests_total", "counter", "Answered requests.");
  for (const auto& [key, count] : requests_)
    out += "apmt_http_requests_total{route=\"" + key.first + "\",status=\"" +
           std::to_string(key.second) + "\"} " + std::to_string(count) + "\n";
  head(&out, "apmt_http_request_seconds", "histogram",
       "Time to answer a request once it was read.");
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kBounds.size(); ++i) {
    sum += durations_[i];
    out += "apmt_http_request_seconds_bucket{le=\"" + format_exact(kBounds[i]) + "\"} " +
           std::to_string(sum) + "\n";
  }
  sum += durations_.back();
  out += "apmt_http_request_seconds_bucket{le=\"+Inf\"} " + std::to_string(sum) + "\n";
  out += "apmt_http_request_seconds_sum " + format_exact(seconds_) + "\n";
  out += "apmt_http_request_seconds_count " + std::to_string(sum) + "\n";
  counts(&out, "apmt_refusals_total", "reason", "Requests and connections that were refused.",
         refusals_);
  counts(&out, "apmt_pushes_total", "outcome", "Runs that were pushed.", pushes_);
  counts(&out, "apmt_refits_total", "outcome", "Refits that ended.", refits_);
  head(&out, "apmt_forecasts_total", "counter", "Runs with which a standing model was validated.");
  out += "apmt_forecasts_total " + std::to_string(forecasts_) + "\n";
  for (const auto& [name, value] : gauges) {
    head(&out, name, "gauge", "State of the service.");
    out += name + " " + format_exact(value) + "\n";
  }
  return out;
}

}  // namespace apmt::service
