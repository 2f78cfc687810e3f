#include "service/connections.h"

namespace apmt::service {

Readers::Lease Readers::take() {
  constexpr int kMost = 4;
  std::unique_lock lock(mutex_);
  // A command needs only one connection. When a server needs a second, all the others are made as
  // well, so that the number of open files does not grow with time.
  const int wanted = made_ == 0 ? 1 : kMost;
  if (idle_.empty())
    for (; made_ < wanted; ++made_) idle_.push_back(connect_(Access::kRead));
  returned_.wait(lock, [this] { return !idle_.empty(); });
  std::unique_ptr<Database> database = std::move(idle_.back());
  idle_.pop_back();
  return {*this, std::move(database)};
}

void Readers::give_back(std::unique_ptr<Database> database) {
  {
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(database));
  }
  returned_.notify_one();
}

}  // namespace apmt::service
