#include "devices/learned/forest.h"

#include <algorithm>
#include <cmath>

#include "devices/learned/random.h"

namespace apmt::learned {
namespace {

/// For each target: the sum over the examples that have a value, and the number of these examples.
/// The values of sum^2 / count of the two parts of a split show by how much the split reduces the
/// variance.
struct Sums {
  Row sum;
  Row count;
  explicit Sums(std::size_t targets) : sum(targets), count(targets) {}
  void add(const Row& target, double times) {
    for (std::size_t t = 0; t < target.size(); ++t)
      if (!std::isnan(target[t])) {
        sum[t] += times * target[t];
        count[t] += times;
      }
  }
  double explained() const {
    double total = 0;
    for (std::size_t t = 0; t < sum.size(); ++t)
      if (count[t] > 0) total += sum[t] * sum[t] / count[t];
    return total;
  }
};

class Grower {
 public:
  Grower(const Lesson& lesson, const ForestOptions& options, Random* random)
      : lesson_(lesson), options_(options), random_(random) {}

  Forest::Tree grow() {
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < lesson_.size(); ++i)
      drawn.push_back(random_->below(lesson_.size()));
    std::sort(drawn.begin(), drawn.end());
    Forest::Tree tree(1);
    std::vector<std::pair<int, std::vector<std::size_t>>> open = {{0, std::move(drawn)}};
    while (!open.empty()) {
      auto [at, examples] = std::move(open.back());
      open.pop_back();
      const Cut cut = best_cut(examples);
      Forest::Node& node = tree[static_cast<std::size_t>(at)];
      if (cut.feature < 0) {
        node.examples = std::move(examples);
        continue;
      }
      node.feature = cut.feature;
      node.threshold = cut.threshold;
      node.below = static_cast<int>(tree.size());
      std::vector<std::size_t> above;
      std::vector<std::size_t> below;
      for (const std::size_t i : examples)
        (value(i, cut.feature) <= cut.threshold ? below : above).push_back(i);
      open.emplace_back(node.below + 1, std::move(above));
      open.emplace_back(node.below, std::move(below));
      tree.resize(tree.size() + 2);
    }
    return tree;
  }

 private:
  struct Cut {
    int feature = -1;
    double threshold = 0;
    double gain = 1e-9;
  };

  double value(std::size_t example, int feature) const {
    return lesson_.x[example][static_cast<std::size_t>(feature)];
  }

  Cut best_cut(const std::vector<std::size_t>& examples) {
    Cut best;
    if (examples.size() < 2 * options_.least_in_leaf) return best;
    const std::size_t features = lesson_.x.front().size();
    std::vector<int> order(features);
    for (std::size_t f = 0; f < features; ++f) order[f] = static_cast<int>(f);
    random_->shuffle(&order);
    // Tries a third of the features, and further ones until one of them gives a split.
    const std::size_t looked_at = std::max<std::size_t>(1, features / 3);
    for (std::size_t f = 0; f < features && (f < looked_at || best.feature < 0); ++f)
      try_feature(order[f], examples, &best);
    return best;
  }

  void try_feature(int feature, const std::vector<std::size_t>& examples, Cut* best) {
    sorted_ = examples;
    std::sort(sorted_.begin(), sorted_.end(), [&](std::size_t a, std::size_t b) {
      const double left = value(a, feature);
      const double right = value(b, feature);
      return left != right ? left < right : a < b;
    });
    const std::size_t targets = lesson_.targets.front().size();
    Sums below(targets);
    Sums above(targets);
    for (const std::size_t i : sorted_) above.add(lesson_.targets[i], 1);
    const double whole = above.explained();
    for (std::size_t k = 1; k < sorted_.size(); ++k) {
      below.add(lesson_.targets[sorted_[k - 1]], 1);
      above.add(lesson_.targets[sorted_[k - 1]], -1);
      const double left = value(sorted_[k - 1], feature);
      const double right = value(sorted_[k], feature);
      if (left == right || k < options_.least_in_leaf ||
          sorted_.size() - k < options_.least_in_leaf)
        continue;
      const double gain = below.explained() + above.explained() - whole;
      if (gain > best->gain + 1e-9) *best = {feature, 0.5 * (left + right), gain};
    }
  }

  const Lesson& lesson_;
  const ForestOptions& options_;
  Random* random_;
  std::vector<std::size_t> sorted_;
};

}  // namespace

std::vector<Forest::Tree> grow_trees(const Lesson& lesson, const ForestOptions& options) {
  std::vector<Forest::Tree> trees;
  for (int t = 0; t < options.trees; ++t) {
    Random random(options.seed * 1000003 + static_cast<std::uint64_t>(t));
    trees.push_back(Grower(lesson, options, &random).grow());
  }
  return trees;
}

Forest::Forest(const Lesson& lesson, const ForestOptions& options)
    : Forest(lesson, std::make_shared<const std::vector<Tree>>(grow_trees(lesson, options))) {}

Forest::Forest(const Lesson& lesson, std::shared_ptr<const std::vector<Tree>> trees)
    : classes_(lesson.classes), labels_(lesson.labels), trees_(std::move(trees)) {}

Row Forest::weights(const Row& x) const {
  Row weights(labels_.size());
  for (const Tree& tree : *trees_) {
    std::size_t at = 0;
    while (tree[at].feature >= 0)
      at = static_cast<std::size_t>(
          tree[at].below + (x[static_cast<std::size_t>(tree[at].feature)] > tree[at].threshold));
    const double share =
        1.0 / static_cast<double>(tree[at].examples.size()) / static_cast<double>(trees_->size());
    for (const std::size_t i : tree[at].examples) weights[i] += share;
  }
  return weights;
}

bool Forest::takes(std::size_t features) const {
  for (const Tree& tree : *trees_)
    for (const Node& node : tree)
      if (node.feature >= 0 && static_cast<std::size_t>(node.feature) >= features) return false;
  return true;
}

Answer Forest::answer(const Row& x) const {
  Row shares(static_cast<std::size_t>(classes_));
  const Row of_example = weights(x);
  for (std::size_t i = 0; i < of_example.size(); ++i)
    shares[static_cast<std::size_t>(labels_[i])] += of_example[i];
  Answer answer{.chosen = largest(shares), .margins = {}};
  constexpr double kSlack = 0.01;
  for (const double share : shares)
    answer.margins.push_back(std::log((share + kSlack) / (1 - share + kSlack)));
  return answer;
}

/// Stores a tree as four columns. For a leaf, `below` is the number of its `examples`.
Json Forest::to_json() const {
  Json trees = Json::array();
  for (const Tree& tree : *trees_) {
    Json json = {{"feature", Json::array()},
                 {"threshold", Json::array()},
                 {"below", Json::array()},
                 {"examples", Json::array()}};
    for (const Node& node : tree) {
      const bool is_leaf = node.feature < 0;
      json["feature"].push_back(node.feature);
      json["threshold"].push_back(is_leaf ? 0 : node.threshold);
      json["below"].push_back(is_leaf ? static_cast<int>(node.examples.size()) : node.below);
      for (const std::size_t i : node.examples) json["examples"].push_back(i);
    }
    trees.push_back(std::move(json));
  }
  return {{"learner", "forest"}, {"classes", classes_}, {"labels", labels_}, {"trees", trees}};
}

namespace {

Forest::Tree tree_from(const JsonAt& at, std::size_t examples) {
  constexpr int kMost = 1 << 24;
  const std::vector<int> features = whole_numbers_from(at.at("feature"), -1, kMost);
  const Row thresholds = row_from(at.at("threshold"));
  const std::vector<int> below = whole_numbers_from(at.at("below"), 0, kMost);
  const std::vector<int> members =
      whole_numbers_from(at.at("examples"), 0, static_cast<int>(examples) - 1);
  if (features.empty() || thresholds.size() != features.size() || below.size() != features.size())
    at.fail("a feature, a threshold and a place for every node");
  Forest::Tree tree;
  std::size_t next = 0;
  for (std::size_t n = 0; n < features.size(); ++n) {
    Forest::Node node{.feature = features[n], .threshold = thresholds[n]};
    const auto here = static_cast<std::size_t>(below[n]);
    if (node.feature >= 0) {
      // Children must come after their parent; otherwise a walk through the tree might never end.
      if (here <= n || here + 1 >= features.size()) at.fail("children after their own node");
      node.below = below[n];
    } else {
      if (here < 1 || next + here > members.size()) at.fail("examples for every leaf");
      for (std::size_t k = 0; k < here; ++k)
        node.examples.push_back(static_cast<std::size_t>(members[next++]));
    }
    tree.push_back(std::move(node));
  }
  return tree;
}

}  // namespace

Forest::Forest(const JsonAt& at) {
  classes_ = static_cast<int>(at.at("classes").integer_in(2, 1000));
  labels_ = whole_numbers_from(at.at("labels"), 0, classes_ - 1);
  std::vector<Tree> trees;
  at.at("trees").for_each(
      [&](const JsonAt& tree) { trees.push_back(tree_from(tree, labels_.size())); });
  if (trees.empty()) at.fail("at least one tree");
  trees_ = std::make_shared<const std::vector<Tree>>(std::move(trees));
}

}  // namespace apmt::learned
