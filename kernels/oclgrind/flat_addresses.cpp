#include "kernels/oclgrind/flat_addresses.h"

#include <bit>

namespace apmt::opencl {

using kernels::Word;

std::optional<Word> FlatAddresses::of(const oclgrind::Memory& memory, std::size_t address,
                                      std::uint64_t item) {
  const unsigned space = memory.getAddressSpace();
  const std::uint64_t number = memory.extractBuffer(address);
  std::uint64_t offset = memory.extractOffset(address), part = offset >> kPlaceBits;
  if (space == oclgrind::AddrSpacePrivate) {
    part = item;
    const oclgrind::Memory::Buffer* buffer =
        is_compatible_ || !memory.isAddressValid(address) ? nullptr : memory.getBuffer(address);
    if (buffer) {
      part = std::bit_width(buffer->size - 1);
      offset += item << part;
    }
    if (offset >> kPlaceBits != 0) return {};
  }
  const std::optional<Word> place = place_of({space, number, part});
  if (!place) return {};
  return *place << kPlaceBits | (offset & 0xffffffff);
}

std::optional<Word> FlatAddresses::place_of(const Buffer& buffer) {
  if (buffer == last_) return last_place_;
  const auto known = places_.find(buffer);
  if (known == places_.end() && places_.size() + 1 >= kPlaces) return {};
  const std::uint64_t place = known == places_.end()
                                  ? places_.emplace(buffer, places_.size() + 1).first->second
                                  : known->second;
  last_ = buffer;
  last_place_ = place;
  return place;
}

}  // namespace apmt::opencl
