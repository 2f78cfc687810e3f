#include "service/rate_limit.h"

#include <algorithm>

namespace apmt::service {
namespace {

constexpr std::size_t kMostClients = 10'000;

double seconds_between(RateLimit::Clock::time_point from, RateLimit::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

bool RateLimit::take(const std::string& client, Clock::time_point now) {
  if (per_s_ <= 0) return true;
  const std::scoped_lock lock(mutex_);
  if (buckets_.size() >= kMostClients && !buckets_.contains(client)) forget_full(now);
  Bucket& bucket = buckets_.try_emplace(client, Bucket{burst_, now}).first->second;
  bucket.level = std::min(burst_, bucket.level + per_s_ * seconds_between(bucket.at, now));
  bucket.at = now;
  if (bucket.level < 1) return false;
  bucket.level -= 1;
  return true;
}

/// Removes the full buckets, which hold no information. If no bucket is full, removes all of them,
/// so that the memory stays bounded.
void RateLimit::forget_full(Clock::time_point now) {
  std::erase_if(buckets_, [&](const auto& entry) {
    return entry.second.level + per_s_ * seconds_between(entry.second.at, now) >= burst_;
  });
  if (buckets_.size() >= kMostClients) buckets_.clear();
}

}  // namespace apmt::service
