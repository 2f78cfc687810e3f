#include "fitter/kernels/reuse_law.h"

#include <algorithm>
#include <cmath>

#include "fitter/numeric/power_between.h"

namespace apmt {
namespace {

constexpr std::size_t kQuantiles = 4096;
constexpr double kSameSize = 1e-9;  // relative; sizes closer than this are the same

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

double ReuseLaw::count(double Node::*of, double working_set) const {
  if (const Node* node = same(working_set)) return node->*of;
  const auto [low, high, at] = between(working_set);
  return power_between(low->*of, high->*of, high->ln_size - low->ln_size, at);
}

std::pair<kernels::Locality, std::vector<double>> ReuseLaw::scaled(double working_set) const {
  const auto [low, high, at] = between(working_set);
  const double ln_ratio = high->ln_size - low->ln_size;
  kernels::Locality made{.line_bytes = low->locality.line_bytes,
                         .one_line_of = low->locality.one_line_of,
                         .accesses = accesses(working_set),
                         .distances = {}};
  made.cold =
      std::min(made.accesses, power_between(low->cold_share * low->accesses,
                                            high->cold_share * high->accesses, ln_ratio, at));
  std::vector<double> distances(std::min(low->distances.size(), high->distances.size()));
  // A repeated access to the same line has distance 0 at any size, but quantiles() gives it a value
  // between 0 and 1, which may differ by a large factor between the two sizes. So the power law is
  // applied to distance + 1: distances near 0 then hardly change with the size.
  for (std::size_t q = 0; q < distances.size(); ++q)
    distances[q] = power_between(low->distances[q] + 1, high->distances[q] + 1, ln_ratio, at) - 1;
  return {std::move(made), std::move(distances)};
}

double ReuseLaw::misses(double cache_bytes, double working_set) const {
  if (const Node* node = same(working_set)) return node->locality.misses(cache_bytes);
  const auto [all, distances] = scaled(working_set);
  const double lines = cache_bytes / static_cast<double>(all.line_bytes);
  const auto far = std::ranges::count_if(distances, [&](double d) { return d >= lines; });
  const double share =
      distances.empty() ? 0 : static_cast<double>(far) / static_cast<double>(distances.size());
  return all.cold + (all.accesses - all.cold) * share;
}

kernels::Locality ReuseLaw::locality(double working_set) const {
  if (const Node* node = same(working_set)) return node->locality;
  auto [made, distances] = scaled(working_set);
  std::ranges::sort(distances);
  const double each = (made.accesses - made.cold) / static_cast<double>(distances.size());
  for (const double distance : distances) {
    const auto whole = static_cast<std::uint64_t>(distance + kSameSize);
    if (made.distances.empty() || made.distances.back().from != whole)
      made.distances.push_back({whole, whole, 0});
    made.distances.back().accesses += each;
  }
  return made;
}

}  // namespace apmt
