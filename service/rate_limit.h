// Limits how often each client may send requests. Each client has a bucket of tokens, which refills
// at a constant rate.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

namespace apmt::service {

class RateLimit {
 public:
  using Clock = std::chrono::steady_clock;

  /// Allows `per_s` requests per second in the long run, and `burst` at once. If `per_s` is 0,
  /// there is no limit.
  RateLimit(double per_s, double burst) : per_s_(per_s), burst_(burst) {}

  /// Takes one token from the client's bucket. Returns false if the bucket is empty.
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
