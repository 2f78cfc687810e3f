// A container with one entry for each kernel. The index of the kernel's function leads to its entry
// without a search.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace apmt::kernels {

/// Entry has a member `function`. Entries stay at their address.
template <class Entry>
class ByFunction {
 public:
  /// The entry of a function, which is made if there is none.
  Entry& operator[](std::uint32_t function) {
    if (function >= places_.size()) places_.resize(function + 1);
    Entry*& place = places_[function];
    if (place == nullptr) {
      place = &entries_.emplace_back();
      place->function = function;
    }
    return *place;
  }
  const Entry& at(std::uint32_t function) const { return *places_.at(function); }

  // In the order in which the entries were made.
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }

 private:
  std::deque<Entry> entries_;
  std::vector<Entry*> places_;
};

}  // namespace apmt::kernels
