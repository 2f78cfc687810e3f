// Keeps grown forests for reuse: questions about the same times and examples need the same trees.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "devices/learned/forest.h"

namespace apmt::learned {

class ForestBank {
 public:
  using Trees = std::shared_ptr<const std::vector<Forest::Tree>>;
  /// The trees for this lesson; the first request grows them. Safe to call from several threads.
  Trees trees_for(const Lesson& lesson, const ForestOptions& options);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::vector<Row>, std::vector<Row>>, Trees> known_;
};

}  // namespace apmt::learned
