// Nodes that represent a posterior (recipe.h) in the draws.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "fitter/times/draw_places.h"
#include "fitter/times/recipe.h"

namespace apmt {

/// Values of curves at one target, so that laws with the same curves, points and target compute
/// each value only once.
class CurveValues {
 public:
  /// RecipeBasis::value(). Discards the values of another target or of other curves.
  double of(std::size_t curve, const RecipeBasis& basis, const RecipeTarget& target);

 private:
  std::shared_ptr<const RecipeTable> table_;
  std::tuple<double, double, double> key_;  // what else the values depend on
  std::vector<double> values_;              // without the shift; NaN until calculated
};

/// The nodes of a posterior. Its curves are ordered by the time far beyond the points and cut into
/// strata of equal probability, each with a node in its middle. A draw keeps its node at every
/// process count, so a draw that is slow at one count beyond the points is slow at all of them.
class RecipeNodes {
 public:
  static constexpr double kFarAhead = 64;  // multiple of the largest process count

  RecipeNodes(const RecipePosterior& posterior, const RecipeTarget& far_ahead);

  /// ln T of every draw at a target. `values` may be null.
  Draws draw(const RecipeTarget& target, const DrawPlaces& places,
             CurveValues* values = nullptr) const;
  /// The mean of ln T over the draws, without noise and without deviations from the curves.
  double mean_at(const RecipeTarget& target) const;

 private:
  struct Node {  // small, because predictions read the nodes of all laws for every process count
    double level = 0;
    std::uint32_t curve = 0;
    std::uint16_t noise = 0;
    bool carries_its_uncertainty = false;
    bool is_by_costs = false;  // RecipeTarget::of_ways applies
  };
  /// By node.
  std::vector<double> means(const RecipeTarget& target, CurveValues* values,
                            const std::vector<Wandered>& wandered) const;

  RecipeBasis basis_;  // without curves of counts that no node uses
  std::vector<Node> nodes_;
  std::vector<double>
      misses_;      // by node: how far points lie above its curve; empty unless slopes wander
  Strata node_of_;  // by stratum
};

}  // namespace apmt
