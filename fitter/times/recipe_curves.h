// The curves with which recipe.h extrapolates times, and the functions that calculate their values;
// both the posterior and the draws use these functions.
#pragma once

#include <cstddef>
#include <vector>

namespace apmt {

/// A plain law (family H in recipe.h): a power of u, where l = ln u. It may have a second term (a
/// function of P, or a falling power of u). Or it may have a factor 1 - g/P, because no process
/// works with itself (pairs) or waits for itself (work of one process).
struct PlainLaw {
  enum class Second {
    kNone,
    kConstant,
    kLog,
    kPower,
    kOthers  // first term * (1 - g / P): pairs counted once (g = 1/2) or all others (g = 1)
  };
  double weight = 0;
  double exponent = -1;  // of u in the first term
  Second second = Second::kNone;
  double second_exponent = 0;  // of P, or of u if negative; only for kPower
  bool operator==(const PlainLaw&) const = default;
};

struct RecipePoint {
  double l = 0;            // ln u
  double l_procs = 0;      // ln(P / P_max); the same as l unless the work varies
  double max_procs = 1;    // P_max, for logarithms of P
  double shift = 0;        // part of ln T known from the problem size; added to all families but C
  double y = 0;            // ln T
  double extra_sigma = 0;  // of y, in addition to the common sigma (extra_sigmas())
  bool operator==(const RecipePoint&) const = default;
};

struct RecipeTarget {
  double l = 0;
  double l_procs = 0;
  double max_procs = 1;
  double shift = 0;
  double distance = 0;                      // distance from the measured range in ln u (>= 0)
  double extra_sd = 0;                      // of ln T, because of what was not profiled
  std::vector<std::vector<double>> counts;  // [count family][feature], relative
  /// If the last count family is the time by costs of core and memory (MemorySplit): for each set
  /// of costs, how far ln of the time lies from the mean of all sets, and strays from its law.
  std::vector<double> of_ways = {};
  /// Factors on the latency and the time per byte of messages. `counts` include them. Curves do not
  /// show how much of a time is latency, so in their draws every share is equally likely.
  double latency = 1;
  double volume = 1;
  /// By set of costs: what ln of the time changes, by whatever law, because data fit into caches
  /// (MemorySplit::Costs::fits_below). Empty: nothing.
  std::vector<double> cached = {};
  bool changes_messages() const { return latency != 1 || volume != 1; }
};

/// The steepest slope over l, beyond the points, of family P and of the first term of T: as steep
/// as 1/P.
inline constexpr double kSteepestSlope = -1;

/// A curve of one of the families of recipe.h.
struct RecipeCurve {
  enum class Family { kPower, kTwoTerms, kCounts, kPlain };
  Family family = Family::kPower;
  std::size_t index = 0;  // of the count family or the plain law
  double a = 0;           // a, b, c by family of recipe.h: P: s, T: f, C: p, H: f
  double b = 0;           // T: a
  double c = 0;           // T: b
  /// Whether RecipePriors::plain_widening replaces RecipePriors::widening, because times deviate
  /// less from these curves than from others.
  bool carries_its_uncertainty() const {
    return family == Family::kPlain || family == Family::kCounts;
  }
};

/// How far slopes wander: the standard deviation of the slope after one unit of l, between the
/// points and beyond the largest process count.
struct Wander {
  double among = 0;
  double ahead = 0;
  bool operator==(const Wander&) const = default;
};

/// One value of the scatter about a curve, and quantities derived from it at the points.
struct RecipeNoise {
  double variance = 0;
  double sum_precision = 0;
  double ln_prior = 0;
  // The inverse covariance of the points' errors: its diagonal, the other elements (by row; empty
  // if the errors are independent), and the sums of its rows.
  std::vector<double> precision;
  std::vector<double> beside;
  std::vector<double> pull;
  Wander wander = {};  // of the slope of the curves that have this noise
};

/// The random walk of the slope, at a target: how much the walk follows each point's distance from
/// the curve, and the remaining variances of the walk and of the level.
struct Wandered {
  std::vector<double> follows;  // empty: follows no point, as beyond all of them
  double walk_variance = 0;
  double level_variance = 0;
};

/// ln T of a curve, without its level.
double curve_value(const RecipeCurve& curve, const std::vector<PlainLaw>& plain,
                   const RecipeTarget& target);

/// ln of one relative count, or of the mean of two, weighted by 1 - p and p.
double ln_counts(double p, const std::vector<double>& relative);

/// Covariance of the walk at l1 and l2: an integrated random walk from l = 0 in each direction.
double wandered(const Wander& wander, double l1, double l2);
/// The walk at l, given the points.
Wandered wandered_to(double l, const std::vector<RecipePoint>& points, const RecipeNoise& noise);

}  // namespace apmt
