#include "fitter/communication/comm_families.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/square.h"
#include "base/words.h"
#include "fitter/mechanisms.h"
#include "fitter/prior_data.h"

namespace apmt {
namespace {

constexpr double kLikeOthers = 0.4;  // sd of ln(cost of a step in light calls / in heavy ones)
constexpr const char* kCollective = "collective";
constexpr const char* kThroughHub = "through a hub";
constexpr double kMissed = 1e-6;  // relative; smaller differences of law and count are rounding
constexpr double kAlternativesApart = 0.05;  // relative; closer laws are treated as one law

/// The law multiplied by factor(passes, P) of passes.h; nothing if the product is not a sum of
/// powers.
std::optional<Hypothesis> times(Hypothesis law, Passes passes) {
  if (passes == Passes::kOnce) return law;
  std::vector<LawTerm> terms;
  for (const LawTerm& term : law.terms) {
    if (term.exp_rate != 0) return std::nullopt;
    LawTerm first = term;
    LawTerm second = term;
    second.coefficient *= -1;
    const bool is_tree = passes == Passes::kTree || passes == Passes::kTreeToAll;
    first.log2_power += is_tree ? 1 : 0;
    first.p_exponent +=
        passes == Passes::kRing || passes == Passes::kToAll || passes == Passes::kTreeToAll ? 1 : 0;
    second.p_exponent -= passes == Passes::kToOthers ? 1 : 0;
    terms.push_back(first);
    if (passes == Passes::kRing || passes == Passes::kToOthers) terms.push_back(second);
  }
  law.terms = std::move(terms);
  return law;
}

/// The counts of an operation that a family uses: their law and points, and the factor that
/// multiplies them (a function of the process count).
struct Counted {
  const CountLaw* law;
  const std::vector<FitPoint>* points;
  Passes passes;
};

/// The sum of the laws, each multiplied by its factor. Returns nothing if an operation has no law
/// that fits well enough, or if a product is not a sum of powers. `choice` says which of an
/// operation's laws to take: 0 for the likeliest, -1 for the one that is smallest at `known.ahead`
/// processes, +1 for the one that is largest there.
std::optional<std::vector<Hypothesis>> sum_of_laws(const std::vector<Counted>& counts, int choice,
                                                   const KnownCosts& known) {
  const auto ahead = [&](const Hypothesis& h) { return h.value(known.ahead, known.work_ahead); };
  std::vector<Hypothesis> sum;
  for (const Counted& counted : counts) {
    const CountLaw& law = *counted.law;
    if (law.hypotheses.empty()) return std::nullopt;
    const Hypothesis* chosen = &law.hypotheses.front();
    for (const Hypothesis& h : law.hypotheses)
      if (choice * (ahead(h) - ahead(*chosen)) > 0) chosen = &h;
    if (chosen->rel_residual > kWorstCountLaw) return std::nullopt;
    if (chosen->terms.empty()) continue;
    const std::optional<Hypothesis> passed = times(*chosen, counted.passes);
    if (!passed) return std::nullopt;
    sum.push_back(*passed);
  }
  return sum;
}

struct FamilyShape {
  const char* name;
  Feature::Steps call_steps;
  Feature::Steps byte_steps;
  PassesOf calls = plain_calls;
  PassesOf bytes = plain_bytes;
  bool has_weighted = false;  // KnownCosts::weighted may stand for an operation's counts
};

/// The prior weight of a family, among those of its part, as configs/priors.yaml has it. Messages
/// have two families only if there is a hub.
double prior_of(const std::string& family, bool has_hub) {
  const Json& collectives = prior_data().at("collectives");
  if (collectives.contains(family)) return collectives.at(family);
  const double hub = prior_data().at("messages").at(kThroughHub);
  if (family == kThroughHub) return hub;
  return has_hub ? 1 - hub : 1;
}

/// Makes the families of a part. The members are those of families_for(); `of` says what is
/// counted.
struct FamilyBuilder {
  const CountedOps& ops;
  std::string of;
  const KnownCosts& known;
  std::vector<CountFamily> families = {};

  /// Adds a family, and its variants if the laws of the counts differ beyond the profiled points.
  void add(const FamilyShape& shape) {
    const double prior = prior_of(shape.name, known.has_hub);
    const std::optional<CountFamily> likely = build(shape, 0);
    if (!likely) return;
    families.push_back(*likely);
    const std::size_t first = families.size();
    for (const auto& [choice, name] : {std::pair(-1, ", fewer"), {1, ", more"}}) {
      std::optional<CountFamily> other = build(shape, choice);
      if (!other || !differ(*likely, *other)) continue;
      other->name += name;
      families.push_back(std::move(*other));
    }
    const std::size_t others = families.size() - first;
    const double share = others > 0 ? share_of_others(shape) : 0;
    families[first - 1].prior = (1 - share) * prior;
    for (std::size_t i = first; i < families.size(); ++i)
      families[i].prior = share * prior / static_cast<double>(others);
  }

  /// The probability, at most one half, that an operation does not follow its likeliest law. The
  /// laws of its calls and of its bytes usually have the same alternatives, so only the less
  /// certain ones count.
  double share_of_others(const FamilyShape& shape) const {
    double least = 1;
    for (const bool is_calls : {true, false}) {
      if (!is_calls && known.few_bytes) continue;
      double likeliest = 1;
      for (const Counted& c : counted(shape, is_calls)) {
        double others = 0;
        for (const Hypothesis& h : c.law->hypotheses)
          if (!are_close(h.value(known.ahead, known.work_ahead),
                         c.law->value(known.ahead, known.work_ahead)))
            others += h.weight;
        likeliest *= 1 - others;
      }
      least = std::min(least, likeliest);
    }
    return std::min(0.5, 1 - least);
  }

  std::optional<CountFamily> build(const FamilyShape& shape, int choice) const {
    if (!shape.has_weighted && std::ranges::any_of(ops, [&](const CountModel* op) {
          return known.weighted.contains(op->op);
        }))
      return std::nullopt;
    const std::vector<Counted> counted_calls = counted(shape, true);
    const std::vector<Counted> counted_bytes = counted(shape, false);
    auto calls = sum_of_laws(counted_calls, choice, known);
    auto bytes = sum_of_laws(counted_bytes, choice, known);
    CountFamily family;
    family.name = shape.name;
    if (calls && !calls->empty())
      family.features.push_back({"alpha", of == kCollective ? "s/step" : "s/message",
                                 counted_as("calls", &CostWithinNode::message), shape.call_steps,
                                 std::move(*calls), 0, 0, expected_step(shape)});
    if (bytes && !bytes->empty() && !known.few_bytes)
      family.features.push_back({"beta", "s/byte", counted_as("bytes", &CostWithinNode::byte),
                                 shape.byte_steps, std::move(*bytes), 0, known.linear_exponent,
                                 of == kCollective ? std::nullopt : known.byte});
    if (family.features.empty()) return std::nullopt;
    for (Feature& f : family.features)
      f.seen = seen(f.name == "alpha" ? counted_calls : counted_bytes, f);
    return family;
  }

  /// What a feature counts, for people: "point-to-point calls, 0.17 for each within a node".
  std::string counted_as(const char* what, double CostWithinNode::*cost) const {
    const bool are_placed =
        std::ranges::any_of(ops, [&](const CountModel* op) { return is_placed(op->op); });
    return of + ' ' + what +
           (are_placed ? formatted(", %.2g for each within a node", (*known.within).*cost) : "");
  }

  /// Whether the messages of an operation, or the steps of a collective, count by their place.
  bool is_placed(const std::string& op) const {
    return known.within && known.weighted.contains(op) && usual_calls(op) == Passes::kTree;
  }

  /// The counts of all operations: calls, or else bytes.
  std::vector<Counted> counted(const FamilyShape& shape, bool is_calls) const {
    std::vector<Counted> list;
    const auto add = [&](const CountModel& m, Passes passes) {
      list.push_back(is_calls ? Counted{&m.calls, &m.calls_points, passes}
                              : Counted{&m.bytes, &m.bytes_points, passes});
    };
    for (const CountModel* op : ops) {
      const auto weighted = known.weighted.find(op->op);
      if (weighted == known.weighted.end())
        add(*op, (is_calls ? shape.calls : shape.bytes)(op->op));
      else
        for (const CountModel& counts : weighted->second) add(counts, Passes::kOnce);
    }
    return list;
  }

  /// The measured counts per rank at the points. Empty if the laws of the feature reproduce the
  /// counts at all points, or if a count is zero.
  std::vector<double> seen(const std::vector<Counted>& counts, const Feature& feature) const {
    std::vector<double> list;
    bool is_missed = false;
    for (const FitPoint& point : known.points) {
      double count = 0;
      for (const Counted& counted : counts)
        count += count_at(*counted.points, point) * factor(counted.passes, point.procs) *
                 Feature::factor_of(feature.steps, point.procs);
      list.push_back(count / point.procs);
      const double by_law = feature.per_rank(point.procs, point.work);
      if (!(list.back() > 0)) return {};
      is_missed = is_missed || std::abs(by_law / list.back() - 1) > kMissed;
    }
    return is_missed ? list : std::vector<double>();
  }

  /// The count at the P and D of `point`: the mean over all points with this P and D, which may
  /// differ in layout.
  static double count_at(const std::vector<FitPoint>& counted, const FitPoint& point) {
    double sum = 0;
    int points = 0;
    for (const FitPoint& p : counted) {
      if (p.procs != point.procs || p.work != point.work) continue;
      sum += p.value;
      ++points;
    }
    return points > 0 ? sum / points : 0;
  }

  /// The expected cost of a message or, for collectives, of a step: the geometric mean, over the
  /// process counts, of its cost in collectives that move few bytes. If this varies, the family
  /// does not count the steps correctly, so the standard deviation is larger.
  std::optional<Feature::Expected> expected_step(const FamilyShape& shape) const {
    if (of != kCollective) return known.message;
    struct Sum {
      double steps = 0, transfer_s = 0;
    };
    LightCallsOf own;
    for (const CountModel* op : ops)
      if (const auto found = known.light.find(op->op); found != known.light.end())
        own.insert(*found);
    double other_calls = own.empty() ? kLikeOthers : 0;  // sd of ln(cost of a step)
    std::map<double, Sum> sums;                          // by process count
    for (const auto& [op, calls] : own.empty() ? known.light : own) {
      for (const LightCalls& light : calls) {
        Sum& sum = sums[light.procs];
        other_calls = std::max(other_calls, light.ln_sd);
        sum.transfer_s += light.transfer_s;
        const Passes passes = shape.calls(op);
        const double steps = is_placed(op) ? factor_on_nodes(passes, light.procs, light.procs,
                                                             light.nodes, known.within->message)
                                           : factor(passes, light.procs);
        sum.steps += light.calls * steps * Feature::factor_of(shape.call_steps, light.procs);
      }
    }
    if (sums.empty()) return std::nullopt;
    const auto points = static_cast<double>(sums.size());
    const auto ln_cost = [](const Sum& sum) { return std::log(sum.transfer_s / sum.steps); };
    double mean = 0;
    for (const auto& [procs, sum] : sums) mean += ln_cost(sum) / points;
    double variance = square(kLikeOthers) + square(other_calls);
    for (const auto& [procs, sum] : sums) variance += square(ln_cost(sum) - mean) / points;
    return Feature::Expected{std::exp(mean), std::sqrt(variance)};
  }

  bool differ(const CountFamily& a, const CountFamily& b) const {
    const auto are_alike = [&](const Feature& f, const Feature& g) {
      return are_close(f.per_rank(known.ahead, known.work_ahead),
                       g.per_rank(known.ahead, known.work_ahead));
    };
    return !std::ranges::equal(a.features, b.features, are_alike);
  }

  static bool are_close(double x, double y) {
    return !(std::abs(x - y) > kAlternativesApart * std::max(std::abs(x), std::abs(y)));
  }
};

}  // namespace

std::vector<CountFamily> families_for(const std::string& part, const CountedOps& ops,
                                      const KnownCosts& known) {
  if (ops.empty() || !mechanisms().message_counts) return {};
  using Steps = Feature::Steps;
  FamilyBuilder builder{ops, part == "p2p" ? "point-to-point" : kCollective, known};
  if (part == "p2p") {
    builder.add({"hockney", Steps::kOne, Steps::kOne, plain_calls, plain_bytes, true});
    const auto through_hub = [](const std::string&) { return Passes::kToAll; };
    if (known.has_hub)
      builder.add({kThroughHub, Steps::kOne, Steps::kOne, through_hub, through_hub, true});
  } else if (part == "coll") {
    builder.add({"usual algorithms", Steps::kOne, Steps::kOne, usual_calls, usual_bytes, true});
    builder.add({kPlainCounts, Steps::kTree, Steps::kOne});
    builder.add({"tree with bytes", Steps::kTree, Steps::kTree});
    // Common libraries send few bytes of these operations along a tree.
    const bool are_trees = std::ranges::all_of(ops, [](const CountModel* op) {
      return operation_has(op->op, "bcast") || operation_has(op->op, "barrier") ||
             (operation_has(op->op, "reduce") && !operation_has(op->op, "scatter"));
    });
    if (!known.few_bytes || !are_trees) builder.add({"ring", Steps::kRing, Steps::kOne});
  }
  return builder.families;
}

}  // namespace apmt
