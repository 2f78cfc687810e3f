#include "fitter/model/memory_split.h"

#include <algorithm>
#include <cmath>

namespace apmt {
namespace {

/// Seconds per process.
struct Seconds {
  double core = 0;
  double waited = 0;       // waiting for accesses and late transfers
  double transferred = 0;  // what bandwidth alone requires

  bool is_transfer_bound() const { return transferred > core + waited; }
  double whole() const { return std::max(core + waited, transferred); }
};

Seconds seconds(const MemorySplit& s, const MemorySplit::Costs& costs, double procs, double work) {
  const double transfers = s.sharing_at(procs) * s.transfers.value(procs, work) / procs;
  return {costs.core_s * s.core.value(procs, work) / procs,
          costs.blocked * s.unhidden.value(procs, work) / procs + costs.exposed * transfers,
          costs.streamed * transfers};
}

/// If memory and core both become slightly faster, the fraction of the saved time that is due to
/// memory.
double elasticity(const Seconds& t) {
  if (t.whole() <= 0) return 0;
  return t.is_transfer_bound() ? 1 : t.waited / t.whole();
}

template <typename F>
double mean(const MemorySplit& s, F f) {
  double sum = 0;
  for (const MemorySplit::Costs& costs : s.ways) sum += f(costs);
  return s.ways.empty() ? 0 : sum / static_cast<double>(s.ways.size());
}

}  // namespace

double MemorySplit::sharing_at(double procs) const {
  if (sharing.empty()) return 1;
  const auto above = std::find_if(sharing.begin(), sharing.end(),
                                  [&](const Sharing& s) { return s.procs >= procs; });
  if (above == sharing.end()) return sharing.back().factor;
  if (above == sharing.begin()) return above->factor;
  const Sharing& below = *std::prev(above);
  return below.factor + (above->factor - below.factor) * std::log(procs / below.procs) /
                            std::log(above->procs / below.procs);
}

double MemorySplit::time_s(const Costs& costs, double procs, double work) const {
  return seconds(*this, costs, procs, work).whole();
}

double MemorySplit::share(const Costs& costs, double procs, double work) const {
  const Seconds t = seconds(*this, costs, procs, work);
  return t.whole() > 0 ? (t.whole() - t.core) / t.whole() : 0;
}

double MemorySplit::mean_share(double procs, double work) const {
  return mean(*this, [&](const Costs& c) { return share(c, procs, work); });
}

double MemorySplit::share_quantile(double q, double procs, double work) const {
  std::vector<double> shares;
  for (const Costs& c : ways) shares.push_back(share(c, procs, work));
  if (shares.empty()) return 0;
  std::sort(shares.begin(), shares.end());
  const double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(shares.size()) - 0.5;
  const auto last = static_cast<double>(shares.size() - 1);
  const double below = std::floor(std::clamp(at, 0.0, last));
  const auto i = static_cast<std::size_t>(below);
  const double rest = std::clamp(at, 0.0, last) - below;
  return shares[i] + (rest > 0 ? rest * (shares[i + 1] - shares[i]) : 0);
}

std::vector<double> MemorySplit::slowdowns(const Slowdown& by, double procs, double work) const {
  std::vector<double> each;
  for (const Costs& c : ways) {
    const double before = time_s(c, procs, work);
    each.push_back(before > 0 ? time_s(c.slowed(by), procs, work) / before : 1);
  }
  return each;
}

double MemorySplit::memory_elasticity(double procs, double work) const {
  return mean(*this, [&](const Costs& c) { return elasticity(seconds(*this, c, procs, work)); });
}

std::vector<double> MemorySplit::memory_elasticities(double procs, double work) const {
  std::vector<double> each;
  for (const Costs& c : ways) each.push_back(elasticity(seconds(*this, c, procs, work)));
  return each;
}

double MemorySplit::memory_bound(double procs, double work) const {
  return mean(*this, [&](const Costs& c) {
    return elasticity(seconds(*this, c, procs, work)) > 0.5 ? 1.0 : 0.0;
  });
}

Json ways_to_json(const MemorySplit& split) {
  Json ways = Json::array();
  for (const MemorySplit::Costs& c : split.ways)
    ways.push_back({c.core_s, c.blocked, c.streamed, c.exposed});
  return ways;
}

Json sharing_to_json(const MemorySplit& split) {
  Json sharing = Json::array();
  for (const MemorySplit::Sharing& s : split.sharing) sharing.push_back({s.procs, s.factor});
  return sharing;
}

Json to_json(const MemorySplit& split) {
  return {{"from", split.from},
          {"core", to_json(split.core)},
          {"unhidden_s", to_json(split.unhidden)},
          {"transfers_s", to_json(split.transfers)},
          {"sharing", sharing_to_json(split)},
          {"ways", ways_to_json(split)}};
}

MemorySplit memory_split_from(const JsonAt& json) {
  MemorySplit split;
  split.from = json.at("from").string();
  split.core = hypothesis_from(json.at("core"));
  split.unhidden = hypothesis_from(json.at("unhidden_s"));
  split.transfers = hypothesis_from(json.at("transfers_s"));
  json.at("ways").for_each([&](const JsonAt& way) {
    std::vector<double> costs;
    way.for_each([&](const JsonAt& cost) { costs.push_back(cost.non_negative()); });
    if (costs.size() != 4)
      way.fail("four costs: of the core, of accesses, of transfers, of late transfers");
    split.ways.push_back({costs[0], costs[1], costs[2], costs[3]});
  });
  if (split.ways.empty()) json.at("ways").fail("at least one");
  if (const auto sharing = json.find("sharing"))  // absent in older files
    sharing->for_each([&](const JsonAt& at) {
      std::vector<double> pair;
      at.for_each([&](const JsonAt& x) { pair.push_back(x.non_negative()); });
      const double before = split.sharing.empty() ? 0 : split.sharing.back().procs;
      if (pair.size() != 2 || !(pair[0] > before))
        at.fail("a process count and a factor, in increasing order");
      split.sharing.push_back({pair[0], pair[1]});
    });
  return split;
}

}  // namespace apmt
