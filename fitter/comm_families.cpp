#include "fitter/comm_families.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>

#include "base/square.h"
#include "fitter/mechanisms.h"

namespace apmt {
namespace {

constexpr double kWorstCountLaw = 0.2;  // relative residual up to which a count may explain a time
constexpr double kLikeOthers = 0.4;     // sd of ln(cost of a step in light calls / in heavy ones)
constexpr const char* kCollective = "collective";
constexpr double kMissed = 1e-6;  // relative; smaller differences of law and count are rounding
constexpr double kAlternativesApart = 0.05;  // relative; closer laws are treated as one law

/// How an operation passes on its messages or bytes. Their count is multiplied by 1 (once),
/// (P - 1) / P (to all others: a rank keeps its own part), log2(P) (along a tree) or P - 1 (along a
/// ring).
enum class Passes { kOnce, kToOthers, kTree, kRing };

/// The algorithm that MPI libraries usually use.
Passes usual_calls(const std::string& op) {
  for (const char* word : {"alltoall", "reduce_scatter", "allgather"})
    if (operation_has(op, word)) return Passes::kRing;
  return Passes::kTree;
}
Passes usual_bytes(const std::string& op) {
  if (usual_calls(op) == Passes::kTree) return Passes::kTree;
  // The bytes counted for an allgather contain each block once, although it goes to all ranks;
  // those of other operations contain a block once for each receiver.
  return operation_has(op, "allgather") ? Passes::kRing : Passes::kToOthers;
}
Passes once(const std::string&) { return Passes::kOnce; }
using PassesOf = Passes (*)(const std::string& op);

/// The factor of `passes` for a communicator of all processes.
double factor(Passes passes, double procs) {
  if (passes == Passes::kToOthers) return (procs - 1) / procs;
  if (passes == Passes::kTree) return std::log2(procs);
  return passes == Passes::kRing ? procs - 1 : 1;
}

/// The law times log2(P), P - 1 or (P - 1) / P; nothing if the product is not a sum of powers.
std::optional<Hypothesis> times(Hypothesis law, Passes passes) {
  if (passes == Passes::kOnce) return law;
  std::vector<LawTerm> terms;
  for (const LawTerm& term : law.terms) {
    if (term.exp_rate != 0) return std::nullopt;
    LawTerm first = term;
    LawTerm second = term;
    second.coefficient *= -1;
    first.log2_power += passes == Passes::kTree ? 1 : 0;
    first.p_exponent += passes == Passes::kRing ? 1 : 0;
    second.p_exponent -= passes == Passes::kToOthers ? 1 : 0;
    terms.push_back(first);
    if (passes != Passes::kTree) terms.push_back(second);
  }
  law.terms = std::move(terms);
  return law;
}

/// The sum of the operations' laws. Each law is first multiplied by a factor (1, (P - 1) / P,
/// log2(P) or P - 1) that depends on how the operation passes on its messages or bytes (`passes`).
/// Returns nothing if an operation has no law that fits well enough, or if a product is not a sum
/// of powers. `choice` says which of an operation's laws to take: 0 for the likeliest, -1 for the
/// one that is smallest at `ahead` processes, +1 for the one that is largest there.
std::optional<std::vector<Hypothesis>> sum_of_laws(const CountedOps& ops,
                                                   CountLaw CountModel::*which, PassesOf passes,
                                                   int choice, double ahead, double work) {
  std::vector<Hypothesis> sum;
  for (const CountModel* op : ops) {
    const CountLaw& law = op->*which;
    if (law.hypotheses.empty()) return std::nullopt;
    const Hypothesis* chosen = &law.hypotheses.front();
    for (const Hypothesis& h : law.hypotheses)
      if (choice != 0 && choice * (h.value(ahead, work) - chosen->value(ahead, work)) > 0)
        chosen = &h;
    if (chosen->rel_residual > kWorstCountLaw) return std::nullopt;
    if (chosen->terms.empty()) continue;
    const std::optional<Hypothesis> passed = times(*chosen, passes(op->op));
    if (!passed) return std::nullopt;
    sum.push_back(*passed);
  }
  return sum;
}

struct FamilyShape {
  const char* name;
  Feature::Steps call_steps;
  Feature::Steps byte_steps;
  const char* call_unit;
  PassesOf calls = once;
  PassesOf bytes = once;
};

class FamilyBuilder {
 public:
  FamilyBuilder(const CountedOps& ops, std::string of, double ahead, double work,
                double linear_exponent, const KnownCosts& known)
      : ops_(ops),
        of_(std::move(of)),
        ahead_(ahead),
        work_(work),
        linear_exponent_(linear_exponent),
        known_(known) {}

  /// Adds one family, or three if the laws of the counts differ beyond the profiled points.
  void add(const FamilyShape& shape, double prior, std::vector<CountFamily>* families) const {
    const std::optional<CountFamily> likely = build(shape, 0);
    if (!likely) return;
    const std::optional<CountFamily> low = build(shape, -1);
    const std::optional<CountFamily> high = build(shape, 1);
    const bool apart = low && high && differ(*low, *high);
    families->push_back(*likely);
    families->back().prior = apart ? 0.5 * prior : prior;
    if (!apart) return;
    for (const CountFamily* other : {&*low, &*high}) {
      families->push_back(*other);
      families->back().prior = 0.25 * prior;
      families->back().name += other == &*low ? ", fewer" : ", more";
    }
  }

 private:
  std::optional<CountFamily> build(const FamilyShape& shape, int choice) const {
    auto calls = sum_of_laws(ops_, &CountModel::calls, shape.calls, choice, ahead_, work_);
    auto bytes = sum_of_laws(ops_, &CountModel::bytes, shape.bytes, choice, ahead_, work_);
    CountFamily family;
    family.name = shape.name;
    if (calls && !calls->empty())
      family.features.push_back({"alpha", shape.call_unit, of_ + " calls", shape.call_steps,
                                 std::move(*calls), 0, 0, expected_step(shape)});
    if (bytes && !bytes->empty() && !known_.few_bytes)
      family.features.push_back({"beta", "s/byte", of_ + " bytes", shape.byte_steps,
                                 std::move(*bytes), 0, linear_exponent_});
    if (family.features.empty()) return std::nullopt;
    for (Feature& f : family.features) {
      const bool is_alpha = f.name == "alpha";
      f.seen = seen(is_alpha ? &CountModel::calls_points : &CountModel::bytes_points,
                    is_alpha ? shape.calls : shape.bytes, f);
    }
    return family;
  }

  /// The measured counts per rank at the points. Empty if the laws of the feature give the same
  /// counts at all points, or if a count is zero.
  std::vector<double> seen(std::vector<FitPoint> CountModel::*counts, PassesOf passes,
                           const Feature& feature) const {
    std::vector<double> list;
    bool is_missed = false;
    for (const FitPoint& point : known_.points) {
      double count = 0;
      for (const CountModel* op : ops_)
        count += count_at(op->*counts, point) * factor(passes(op->op), point.procs) *
                 Feature::factor_of(feature.steps, point.procs);
      list.push_back(count / point.procs);
      const double by_law = feature.per_rank(point.procs, point.work);
      if (!(list.back() > 0)) return {};
      is_missed = is_missed || std::abs(by_law / list.back() - 1) > kMissed;
    }
    return is_missed ? list : std::vector<double>();
  }

  /// The mean over the points with this P and D, which may have different layouts.
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

  /// The cost of a message, or of a step in collectives that move few bytes: the geometric mean
  /// over the points. If the cost varies from point to point, the family does not count the steps
  /// correctly; then the expected cost gets a larger standard deviation.
  std::optional<Feature::Expected> expected_step(const FamilyShape& shape) const {
    if (of_ != kCollective) return known_.message;
    struct Sum {
      double steps = 0;
      double transfer_s = 0;
    };
    const auto is_own = [&](const std::string& name) {
      return std::any_of(ops_.begin(), ops_.end(),
                         [&](const CountModel* op) { return op->op == name; });
    };
    const bool has_own = std::any_of(known_.light.begin(), known_.light.end(),
                                     [&](const auto& light) { return is_own(light.first); });
    double other_calls = has_own ? 0 : kLikeOthers;  // sd of the cost of a step in ln
    std::map<double, Sum> sums;                      // by process count
    for (const auto& [op, calls] : known_.light) {
      if (has_own && !is_own(op)) continue;
      for (const LightCalls& light : calls) {
        Sum& sum = sums[light.procs];
        other_calls = std::max(other_calls, light.ln_sd);
        sum.transfer_s += light.transfer_s;
        sum.steps += light.calls * factor(shape.calls(op), light.procs) *
                     Feature::factor_of(shape.call_steps, light.procs);
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
    if (a.features.size() != b.features.size()) return true;
    for (std::size_t i = 0; i < a.features.size(); ++i) {
      const double x = a.features[i].per_rank(ahead_, work_);
      const double y = b.features[i].per_rank(ahead_, work_);
      if (std::abs(x - y) > kAlternativesApart * std::max(std::abs(x), std::abs(y))) return true;
    }
    return false;
  }

  const CountedOps& ops_;
  std::string of_;
  double ahead_;
  double work_;
  double linear_exponent_;
  const KnownCosts& known_;
};

}  // namespace

std::vector<CountFamily> families_for(const std::string& part, const CountedOps& ops, double ahead,
                                      double work, double linear_exponent,
                                      const KnownCosts& known) {
  std::vector<CountFamily> families;
  if (ops.empty() || !mechanisms().message_counts) return families;
  using Steps = Feature::Steps;
  if (part == "p2p") {
    const FamilyBuilder builder(ops, "point-to-point", ahead, work, linear_exponent, known);
    builder.add({"hockney", Steps::kOne, Steps::kOne, "s/message"}, 1, &families);
  } else if (part == "coll") {
    const FamilyBuilder builder(ops, kCollective, ahead, work, linear_exponent, known);
    builder.add({"usual algorithms", Steps::kOne, Steps::kOne, "s/step", usual_calls, usual_bytes},
                0.55, &families);
    builder.add({"tree", Steps::kTree, Steps::kOne, "s/step"}, 0.2, &families);
    builder.add({"tree with bytes", Steps::kTree, Steps::kTree, "s/step"}, 0.1, &families);
    builder.add({"ring", Steps::kRing, Steps::kOne, "s/step"}, 0.15, &families);
  }
  return families;
}

bool operation_has(std::string op, const char* word) {
  std::transform(op.begin(), op.end(), op.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return op.find(word) != std::string::npos;
}

}  // namespace apmt
