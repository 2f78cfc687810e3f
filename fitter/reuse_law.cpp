#include "fitter/reuse_law.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

constexpr std::size_t kQuantiles = 4096;
constexpr double kSameSize = 1e-9;  // relative
constexpr double kSteepest = 3;     // most that a count grows beyond the analysed sizes, as a power

/// Quantiles of the distances, which are assumed to be spread evenly within a bin.
std::vector<double> quantiles(const kernels::Locality& locality) {
  double all = 0;
  for (const auto& d : locality.distances) all += d.accesses;
  std::vector<double> found;
  if (all <= 0) return found;
  found.reserve(kQuantiles);
  std::size_t bin = 0;
  double before = 0;
  for (std::size_t q = 0; q < kQuantiles; ++q) {
    const double wanted = (static_cast<double>(q) + 0.5) / kQuantiles * all;
    while (bin + 1 < locality.distances.size() &&
           before + locality.distances[bin].accesses < wanted)
      before += locality.distances[bin++].accesses;
    const auto& d = locality.distances[bin];
    const double from = static_cast<double>(d.from), width = static_cast<double>(d.to) + 1 - from;
    const double into = d.accesses > 0 ? std::clamp((wanted - before) / d.accesses, 0.0, 1.0) : 0;
    found.push_back(from + width * into);
  }
  return found;
}

/// Follows a power of the size between two values, and beyond them at most the steepest.
double power(double low, double high, double ln_ratio, double at) {
  if (low <= 0 || high <= 0) return std::max(0.0, low + (high - low) * at);
  double slope = std::log(high / low) / ln_ratio;
  if (at < 0 || at > 1) slope = std::clamp(slope, 0.0, kSteepest);
  const double from = at > 1 ? high : low;
  return from * std::exp(slope * ln_ratio * (at > 1 ? at - 1 : at));
}

}  // namespace

ReuseLaw::ReuseLaw(std::vector<Size> sizes) {
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const Size& a, const Size& b) { return a.working_set < b.working_set; });
  for (Size& size : sizes) {
    if (!nodes_.empty() && std::log(size.working_set) - nodes_.back().ln_size < kSameSize) continue;
    Node node;
    node.ln_size = std::log(size.working_set);
    node.accesses = size.locality.accesses;
    node.flops = size.flops;
    node.cold_share = size.locality.cold / size.locality.accesses;
    node.distances = quantiles(size.locality);
    node.locality = std::move(size.locality);
    nodes_.push_back(std::move(node));
  }
}

const ReuseLaw::Node* ReuseLaw::same(double working_set) const {
  const double ln_size = std::log(working_set);
  for (const Node& node : nodes_)
    if (std::abs(node.ln_size - ln_size) < kSameSize) return &node;
  return nullptr;
}

bool ReuseLaw::covers(double working_set) const {
  return working_set > 0 && (nodes_.size() > 1 || same(working_set) != nullptr);
}

ReuseLaw::Between ReuseLaw::between(double working_set) const {
  const double ln_size = std::log(working_set);
  std::size_t high = 1;
  while (high + 1 < nodes_.size() && nodes_[high].ln_size < ln_size) ++high;
  const Node& a = nodes_[high - 1];
  const Node& b = nodes_[high];
  return {&a, &b, (ln_size - a.ln_size) / (b.ln_size - a.ln_size)};
}

double ReuseLaw::accesses(double working_set) const {
  if (const Node* node = same(working_set)) return node->accesses;
  const auto [low, high, at] = between(working_set);
  return power(low->accesses, high->accesses, high->ln_size - low->ln_size, at);
}

double ReuseLaw::flops(double working_set) const {
  if (const Node* node = same(working_set)) return node->flops;
  const auto [low, high, at] = between(working_set);
  return power(low->flops, high->flops, high->ln_size - low->ln_size, at);
}

double ReuseLaw::misses(double cache_bytes, double working_set) const {
  if (const Node* node = same(working_set)) return node->locality.misses(cache_bytes);
  const auto [low, high, at] = between(working_set);
  const double ln_ratio = high->ln_size - low->ln_size;
  const double all = accesses(working_set);
  const double cold = std::min(
      all, power(low->cold_share * low->accesses, high->cold_share * high->accesses, ln_ratio, at));
  const double lines = cache_bytes / static_cast<double>(low->locality.line_bytes);
  std::size_t far = 0;
  const std::size_t both = std::min(low->distances.size(), high->distances.size());
  // Distance 0 is an access to the same line again, at any size. Hence the 1.
  for (std::size_t q = 0; q < both; ++q)
    far += power(low->distances[q] + 1, high->distances[q] + 1, ln_ratio, at) - 1 >= lines;
  const double share = both > 0 ? static_cast<double>(far) / static_cast<double>(both) : 0;
  return cold + (all - cold) * share;
}

}  // namespace apmt
