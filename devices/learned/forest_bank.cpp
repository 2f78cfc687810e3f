#include "devices/learned/forest_bank.h"

#include <cmath>

namespace apmt::learned {

ForestBank::Trees ForestBank::trees_for(const Lesson& lesson, const ForestOptions& options) {
  std::vector<Row> targets = lesson.targets;  // as a key: NaN cannot be ordered, so it is replaced
  for (Row& row : targets)
    for (double& value : row)
      if (std::isnan(value)) value = 1e300;
  auto key = std::pair(lesson.x, std::move(targets));
  key.second.push_back({static_cast<double>(options.seed), static_cast<double>(options.trees)});
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  auto grown = std::make_shared<const std::vector<Forest::Tree>>(grow_trees(lesson, options));
  const std::lock_guard lock(mutex_);
  return known_.emplace(std::move(key), std::move(grown)).first->second;
}

}  // namespace apmt::learned
