// Keeps the state (frames and values) of each work-item of a group while it waits at a barrier. So
// no other code has to know that one thread runs several work-items.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "kernels/events.h"

namespace apmt::kernels {

template <class... Parts>
class WorkItems {
 public:
  /// Follows the marks of work-items; `now` is the state of the running item.
  void note(Mark mark, std::uint64_t number, Parts&... now) {
    if (mark == Mark::kWorkItem && number != running_) {
      if (running_ != kNobody) waiting_[running_] = {std::move(now)...};
      std::tie(now...) = std::exchange(waiting_[number], {});
      waiting_.erase(number);
      running_ = number;
    } else if (mark == Mark::kWorkItemEnd) {
      waiting_.erase(number);
      ((now = {}), ...);
      running_ = kNobody;
    }
  }

 private:
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};
  std::uint64_t running_ = kNobody;
  std::map<std::uint64_t, std::tuple<Parts...>> waiting_;
};

}  // namespace apmt::kernels
