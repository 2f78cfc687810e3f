#include "service/connections.h"

namespace apmt::service {

Readers::Lease Readers::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Database> database = std::move(idle_.back());
      idle_.pop_back();
      return {*this, std::move(database)};
    }
  }
  return {*this, connect_(Access::kRead)};
}

void Readers::give_back(std::unique_ptr<Database> database) {
  const std::scoped_lock lock(mutex_);
  idle_.push_back(std::move(database));
}

}  // namespace apmt::service
