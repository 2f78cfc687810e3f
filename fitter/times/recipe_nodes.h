// Nodes that represent a posterior (recipe.h) in the draws.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fitter/times/draw_places.h"
#include "fitter/times/recipe.h"

namespace apmt {

/// A cache of the values of curves at one target, so that laws with the same curves, points and
/// target compute each value only once.
class CurveValues {
 public:
  struct Key {
    std::string families;  // equal for laws that have the same curves
    double l = 0;
    double l_procs = 0;
    double max_procs = 0;
    bool operator==(const Key&) const = default;
  };
  /// Discards the values if they are for another target.
  void set_target(const Key& key);
  /// The value for the curve with this index; NaN until it is set.
  double& at(std::size_t curve);

 private:
  Key key_;
  std::vector<double> values_;
};

/// The nodes of a posterior. Its curves are ordered by the time far beyond the points and cut into
/// strata of equal probability, each with a node in its middle. A draw keeps its node at every
/// process count, so a draw that is slow at one count beyond the points is slow at all of them.
class RecipeNodes {
 public:
  static constexpr double kFarAhead = 64;  // multiple of the largest process count

  RecipeNodes(const RecipePosterior& posterior, const RecipeTarget& far_ahead);

  /// ln T of every draw at a target.
  void draw(const RecipeTarget& target, const DrawPlaces& places, CurveValues* values,
            Draws* ln_times) const;
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
  /// How far times lie from their curves at a target.
  struct Deviations {
    std::vector<double> noise_sd;     // for each noise of the basis
    std::vector<double> straying_sd;  // for laws with an uncertainty of their own, then for others
    std::vector<Wandered> wandered;   // empty if the walk of the slope does not follow the points
  };
  Deviations deviations(const RecipeTarget& target) const;
  /// Whether the target lies among the points, where their distances from the curve show where the
  /// random walk of the slope (recipe.h) goes.
  bool follows_points(const RecipeTarget& target) const { return wanders_ && target.l < 0; }
  std::vector<double> means(const RecipeTarget& target, CurveValues* values,
                            const std::vector<Wandered>& wandered) const;

  bool wanders_ = false;  // whether slopes may wander among the points
  RecipeBasis basis_;     // without curves of counts that no node uses
  std::vector<Node> nodes_;
  std::vector<double> misses_;  // by node: how far points lie above its curve; empty without wander
  std::vector<double> noise_sd_ahead_;  // for each noise, unless the walk follows the points
  Strata node_of_;                      // by stratum
};

}  // namespace apmt
