// Trees that several questions share: forests on the same times differ only in the question.
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
  /// The trees of this lesson, grown at the first request. Safe to call from several threads.
  Trees trees_for(const Lesson& lesson, const ForestOptions& options);

 private:
  std::mutex mutex_;
  std::map<std::pair<std::vector<Row>, std::vector<Row>>, Trees> known_;
};

}  // namespace apmt::learned
