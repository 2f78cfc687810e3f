#include "profiler/reader/fold_inlined.h"

#include <algorithm>
#include <iterator>

#include "profiler/reader/fold_counters.h"
#include "profiler/reader/fold_kernels.h"

namespace apmt {
namespace {

constexpr double kLeastShare = 1e-3;

using Chain = std::vector<std::string>;

/// A place is a chain of functions, each inlined into the one before. Removes the places with less
/// than `least` seconds and adds their seconds to the places that contain them. The longest chains
/// come first, so that the sum of a place is complete before it is compared with `least`.
void drop_small(double least, std::map<Chain, double>* seconds) {
  std::vector<Chain> deepest_first;
  for (const auto& [chain, s] : *seconds) deepest_first.push_back(chain);
  std::stable_sort(deepest_first.begin(), deepest_first.end(),
                   [](const Chain& a, const Chain& b) { return a.size() > b.size(); });
  for (std::size_t i = 0; i < deepest_first.size(); ++i) {
    const Chain chain = deepest_first[i];
    const auto at = seconds->find(chain);
    if (chain.empty() || at->second >= least) continue;
    const Chain around(chain.begin(), chain.end() - 1);
    const double moved = at->second;
    seconds->erase(at);
    const auto [place, is_new] = seconds->try_emplace(around, 0.0);
    place->second += moved;
    if (!is_new) continue;
    const auto next = std::find_if(
        deepest_first.begin() + static_cast<std::ptrdiff_t>(i) + 1, deepest_first.end(),
        [&](const Chain& other) { return other.size() < around.size(); });
    deepest_first.insert(next, around);
  }
}

}  // namespace

void fold_inlined(const std::vector<RawRecording>& ranks, Symbols& symbols, RunProfile* profile) {
  const Metrics metrics(ranks);
  std::map<KernelId, std::map<Chain, double>> seconds;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RawRecording& raw = ranks[r];
    for (const format::Sample& sample : raw.samples) {
      if (format::sample_op(sample.key) != 0 ||
          format::sample_stage(sample.key) != format::Stage::kMain)
        continue;
      const std::uint64_t pc = format::sample_pc(sample.key);
      EventCounts::value_type counts{};
      std::copy(std::begin(sample.counts), std::end(sample.counts), counts.begin());
      seconds[function_of(raw, symbols, pc).id][inlined_at(raw, symbols, pc)] +=
          metrics.seconds(counts, r);
    }
  }
  for (KernelProfile& kernel : profile->kernels) {
    std::map<Chain, double>& places = seconds[kernel.id];
    double all = 0;
    for (const auto& [chain, s] : places) all += s;
    drop_small(kLeastShare * all, &places);
    for (const auto& [chain, s] : places)
      if (!chain.empty() && s > 0) kernel.inlined.push_back({chain, s});
  }
}

}  // namespace apmt
