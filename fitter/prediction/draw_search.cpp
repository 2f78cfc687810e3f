#include "fitter/prediction/draw_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace apmt {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();
constexpr double kTiny = 1e-300;  // seconds; replaces zero before logarithms are taken
// How many rounds of counts to add between the given ones. For bounds, one round suffices, because
// the ratio of two parts is nearly a power of P between two doublings. Other searches need more:
// the least time, for example, is at the bottom of a flat valley.
constexpr int kRoundsOfBounds = 1;
constexpr int kRounds = 3;
constexpr int kSameCount = 32;  // counts closer than 1/32 of their value count as one

/// The index of the draw at quantile q in a sorted list of draws.
std::size_t rank(double q) {
  return static_cast<std::size_t>(std::clamp(q * kDraws, 0.0, static_cast<double>(kDraws) - 1));
}

/// The process count at which an event happens (such as efficiency falling below a limit, or the
/// least time), as quantiles of ln P over the draws.
struct Located {
  double middle = kNowhere;
  double low = kNowhere;
  double high = kNowhere;
};

Located located(Draws ln_procs, double confidence) {
  std::sort(ln_procs.begin(), ln_procs.end());
  return {ln_procs[rank(0.5)], ln_procs[rank(0.5 - 0.5 * confidence)],
          ln_procs[rank(0.5 + 0.5 * confidence)]};
}

/// The smallest whole number of processes at which the event has happened.
std::optional<int> whole(double ln_procs) {
  if (!(ln_procs < std::log(1e9))) return std::nullopt;
  return static_cast<int>(std::ceil(std::exp(ln_procs) * (1 - 1e-9)));
}

/// Locates several events: `find(counts)` returns, for each event, its ln P in every draw. Then
/// evaluates more process counts near some quantiles of these values, in at most `rounds` rounds.
/// The quantiles do not depend on the confidence, so that wider intervals include narrower ones.
template <typename F>
std::vector<Draws> look_closer(Glances* glances, std::vector<int> counts, int rounds, F find) {
  constexpr double kLooked = 0.8;
  for (int round = 0;; ++round) {
    std::vector<Draws> all = find(counts);
    if (round == rounds) return all;
    const std::size_t before = counts.size();
    for (const Draws& ln_procs : all) {
      const Located l = located(ln_procs, kLooked);
      for (const double at : {l.middle, l.low, l.high}) {
        if (!(at < std::log(1e9))) continue;
        const int procs = std::max(1, static_cast<int>(std::lround(std::exp(at))));
        const bool is_known = std::any_of(counts.begin(), counts.end(), [&](int c) {
          return std::abs(c - procs) <= procs / kSameCount;
        });
        if (is_known || procs < counts.front() || procs > counts.back()) continue;
        glances->at(procs);
        counts.push_back(procs);
      }
    }
    if (counts.size() == before) return all;
    std::sort(counts.begin(), counts.end());
  }
}

double group_s(const Glance& g, const std::string& bound, std::size_t k) {
  return bound == kBoundByMessages ? g.comm[k] : bound == kBoundByOthers ? g.others[k] : g.comp[k];
}

double middle_s(const Glance& g, const std::string& bound) {
  return bound == kBoundByMessages ? g.comm_s : bound == kBoundByOthers ? g.others_s : g.comp_s;
}

/// How far one time is above the other, as a logarithm.
double margin(double seconds, double other_s) {
  return std::log(std::max(seconds, kTiny) / std::max(other_s, kTiny));
}

/// ln P at which a quantity that is `before` at one count and `after` at the other crosses 0, by
/// interpolation.
double between(int from, int to, double before, double after) {
  const double part = before > after ? std::clamp(before / (before - after), 0.0, 1.0) : 1;
  return std::log(from) + part * std::log(static_cast<double>(to) / from);
}

}  // namespace

const Glance& Glances::at(int procs) {
  const auto found = made_.find(procs);
  return found != made_.end() ? found->second : made_.emplace(procs, make_(procs)).first->second;
}

std::vector<int> Glances::counts() const {
  std::vector<int> counts;
  for (const auto& [procs, glance] : made_) counts.push_back(procs);
  return counts;
}

Glances glances_of(const Predictor& predictor, const Scenario& scenario) {
  return Glances([&predictor, there = scenario](int procs) mutable {
    there.procs = procs;
    return predictor.glance(there);
  });
}

std::vector<int> doublings(int from, int to) {
  std::vector<int> procs;
  for (double p = from; p < to; p *= 2) procs.push_back(static_cast<int>(p));
  procs.push_back(to);
  return procs;
}

int first_between(int before, int after, const std::function<bool(int)>& holds) {
  while (after - before > std::max(1, before / 16)) {
    const int middle = before + (after - before) / 2;
    (holds(middle) ? after : before) = middle;
  }
  return after;
}

double share_with_other_bound(const Glance& glance, const std::string& bound) {
  std::size_t others = 0;
  for (std::size_t k = 0; k < kDraws; ++k)
    others += largest_group(glance.comp[k], glance.comm[k], glance.others[k]) != bound;
  return static_cast<double>(others) / kDraws;
}

std::optional<ProcsEstimate> first_below(Glances* glances, const std::vector<int>& counts,
                                         double limit, double confidence) {
  const auto find = [&](const std::vector<int>& at) {
    Draws ln_procs;
    ln_procs.fill(kNowhere);
    for (std::size_t k = 0; k < kDraws; ++k) {
      double before = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const double margin = std::log(std::max(glances->at(at[i]).efficiency[k], kTiny) / limit);
        if (margin < 0) {
          ln_procs[k] = i == 0 ? std::log(at[0]) : between(at[i - 1], at[i], before, margin);
          break;
        }
        before = margin;
      }
    }
    return std::vector<Draws>{ln_procs};
  };
  const Located l = located(look_closer(glances, counts, kRounds, find).front(), confidence);
  const std::optional<int> procs = whole(l.middle);
  if (!procs) return std::nullopt;
  return ProcsEstimate{*procs, *whole(l.low), whole(l.high)};
}

std::vector<BoundChange> changes_of_bound(Glances* glances, const std::vector<int>& counts,
                                          double confidence) {
  std::vector<BoundChange> changes;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::string& bound = glances->at(counts[i]).bound;
    if (!changes.empty() && changes.back().bound == bound) continue;
    int procs = counts[i];
    if (i > 0) {
      const Glance &before = glances->at(counts[i - 1]), &after = glances->at(counts[i]);
      const auto above = [&](const Glance& g) {
        return margin(middle_s(g, before.bound), middle_s(g, bound));
      };
      procs = *whole(between(counts[i - 1], counts[i], above(before), above(after)));
    }
    changes.push_back({bound, {procs, procs, procs}});
  }
  if (changes.size() < 2) return changes;
  // If a bound holds at no process count in a draw, it is taken to begin, in this draw, at the
  // count where the next bound begins.
  const auto find = [&](const std::vector<int>& at) {
    std::vector<Draws> ln_procs(changes.size() - 1);
    for (Draws& d : ln_procs) d.fill(kNowhere);
    for (std::size_t k = 0; k < kDraws; ++k) {
      std::size_t state = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        const Glance& here = glances->at(at[i]);
        const std::string bound = largest_group(here.comp[k], here.comm[k], here.others[k]);
        std::size_t next = state;
        while (next < changes.size() && changes[next].bound != bound) ++next;
        if (next == state || next == changes.size()) continue;
        double ln = std::log(at[i]);
        if (i > 0) {
          const auto above = [&](const Glance& g) {
            return margin(group_s(g, changes[state].bound, k), group_s(g, bound, k));
          };
          ln = between(at[i - 1], at[i], above(glances->at(at[i - 1])), above(here));
        }
        for (; state < next; ++state) ln_procs[state][k] = ln;
      }
    }
    return ln_procs;
  };
  const std::vector<Draws> all = look_closer(glances, counts, kRoundsOfBounds, find);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ProcsEstimate& from = changes[i + 1].from;
    const Located l = located(all[i], confidence);
    from.low = std::min(whole(l.low).value_or(from.procs), from.procs);
    from.high = whole(l.high);
    if (from.high) from.high = std::max(*from.high, from.procs);
  }
  return changes;
}

ProcsEstimate least_time(Glances* glances, int procs, double confidence) {
  const auto find = [&](const std::vector<int>& at) {
    Draws ln_procs;
    for (std::size_t k = 0; k < kDraws; ++k) {
      std::size_t best = 0;
      for (std::size_t i = 1; i < at.size(); ++i)
        if (glances->at(at[i]).whole[k] < glances->at(at[best]).whole[k]) best = i;
      ln_procs[k] = std::log(at[best]);
      if (best == 0 || best + 1 == at.size()) continue;
      // The vertex of the parabola through the three counts around the least time.
      const auto y = [&](std::size_t i) {
        return std::log(std::max(glances->at(at[i]).whole[k], kTiny));
      };
      const double left = std::log(static_cast<double>(at[best]) / at[best - 1]);
      const double right = std::log(static_cast<double>(at[best + 1]) / at[best]);
      const double falls = (y(best) - y(best - 1)) / left, rises = (y(best + 1) - y(best)) / right;
      if (rises > falls)
        ln_procs[k] += std::clamp(0.5 * (left + right) * -falls / (rises - falls) - 0.5 * left,
                                  -0.5 * left, 0.5 * right);
    }
    return std::vector<Draws>{ln_procs};
  };
  const Located l =
      located(look_closer(glances, glances->counts(), kRounds, find).front(), confidence);
  const auto nearest = [](double ln) { return static_cast<int>(std::lround(std::exp(ln))); };
  return {procs, std::min(procs, nearest(l.low)), std::max(procs, nearest(l.high))};
}

}  // namespace apmt
