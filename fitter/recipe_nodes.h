// The nodes of a posterior (recipe.h) that the draws hold.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fitter/draw_places.h"
#include "fitter/recipe.h"

namespace apmt {

/// Values of curves at one target, for laws that have curves, points and target in common.
class CurveValues {
 public:
  struct Key {
    std::string families;  // the same for laws that have their curves in common
    double l = 0;
    double l_procs = 0;
    double max_procs = 0;
    bool operator==(const Key&) const = default;
  };
  /// Forgets what it holds of another target.
  void set_target(const Key& key);
  /// Of the curve with this index; not a number until it is written.
  double& at(std::size_t curve);

 private:
  Key key_;
  std::vector<double> values_;
};

/// A node in the middle of each stratum, strata ordered by the time far ahead: a draw keeps its
/// node at every process count, and one that is slow ahead of the points is so everywhere ahead.
class RecipeNodes {
 public:
  static constexpr double kFarAhead = 64;  // times the largest process count

  RecipeNodes(const RecipePosterior& posterior, const RecipeTarget& far_ahead);

  /// ln T at a target of every draw.
  void draw(const RecipeTarget& target, const DrawPlaces& places, CurveValues* values,
            Draws* ln_times) const;
  /// The mean of ln T over the draws, without what is normal about the nodes.
  double mean_at(const RecipeTarget& target) const;

 private:
  struct Node {  // small: a prediction reads those of all laws for every process count
    double level = 0;
    std::uint32_t curve = 0;
    std::uint16_t noise = 0;
    bool carries_its_uncertainty = false;
  };
  std::vector<double> means(const RecipeTarget& target, CurveValues* values,
                            const std::vector<Wandered>& wandered) const;

  RecipeBasis basis_;  // with those curves of counts only that nodes have
  std::vector<Node> nodes_;
  std::vector<double> misses_;  // of the points, node by node, where curves wander
  Strata node_of_;              // by stratum
};

}  // namespace apmt
