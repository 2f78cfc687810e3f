// Limits how often each client may ask: a bucket of tokens that refills at a constant rate.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace apmt::service {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// `per_s` requests a second in the long run, `burst` at once. 0 a second: no limit.
  RateLimit(double per_s, double burst) : per_s_(per_s), burst_(burst) {}

  /// Takes one from the client's bucket; false if it is empty.
  bool take(const std::string& client, Clock::time_point now = Clock::now());

 private:
  struct Bucket {
    double level = 0;
    Clock::time_point at;
  };
  void forget_full(Clock::time_point now);

  double per_s_;
  double burst_;
  std::mutex mutex_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace apmt::service
