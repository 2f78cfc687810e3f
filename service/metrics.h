// Counters of the server, in the text format of Prometheus.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace apmt::service {

class Metrics {
 public:
  /// Counts a request. `route` is the pattern of a route, never the address that a client sent.
  void count_request(const std::string& route, int status, double seconds);
  void count_refusal(const std::string& reason);
  void count_push(const std::string& outcome);
  void count_refit(const std::string& outcome, int judged);

  /// The text of all counters. `gauges` has further values by name.
  std::string text(const std::map<std::string, double>& gauges) const;

 private:
  static constexpr std::array<double, 7> kBounds = {0.001, 0.005, 0.02, 0.1, 0.5, 2, 10};
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::uint64_t> requests_;
  std::array<std::uint64_t, kBounds.size() + 1> durations_{};
  double seconds_ = 0;
  std::map<std::string, std::uint64_t> refusals_;
  std::map<std::string, std::uint64_t> pushes_;
  std::map<std::string, std::uint64_t> refits_;
  std::uint64_t forecasts_ = 0;
};

}  // namespace apmt::service
