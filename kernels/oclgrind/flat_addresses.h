// Maps Oclgrind's addresses to one flat space (kernels/events.h): each buffer of each address space
// lies at its own multiple of 2^32.
//  * Local memory: every work-group reuses the addresses of the previous group, which has ended.
//  * Private memory: each item of a work-group numbers its buffers, and the buffers with the same
//    number lie side by side. In compatible mode, each lies at its own multiple of 2^32, because
//    the published AIWC counts the low 32 bits.
#pragma once

#include <oclgrind/Memory.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "kernels/events.h"

namespace apmt::opencl {

class FlatAddresses {
 public:
  explicit FlatAddresses(bool is_compatible) : is_compatible_(is_compatible) {}

  /// `item`: the accessing item's index in its work-group. nullopt: the flat space has no room left
  /// for the buffer.
  std::optional<kernels::Word> of(const oclgrind::Memory& memory, std::size_t address,
                                  std::uint64_t item);

 private:
  static constexpr unsigned kPlaceBits = 32;
  static constexpr std::uint64_t kPlaces = kernels::kAddressLimit >> kPlaceBits;

  struct Buffer {
    unsigned space;
    std::uint64_t number;
    std::uint64_t part;  // which 4 GiB of a large buffer; private: log2 of size (compatible: item)
    bool operator==(const Buffer&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Buffer& b) const { return (b.number * 31 + b.part) * 4 + b.space; }
  };

  std::optional<kernels::Word> place_of(const Buffer& buffer);

  bool is_compatible_;
  std::unordered_map<Buffer, std::uint64_t, Hash> places_;
  Buffer last_ = {~0u, 0, 0};
  std::uint64_t last_place_ = 0;
};

}  // namespace apmt::opencl
