#include "profiler/reader/unwind_bounds.h"

#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace apmt {
namespace {

/// The bytes of a section and the address of the first one.
struct UnwindSection {
  std::string_view bytes;
  std::uint64_t address = 0;

  template <typename T>
  std::optional<T> at(std::uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }
};

UnwindSection section_of(Elf* elf, const char* wanted) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return {};
  for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
    GElf_Shdr header;
    if (gelf_getshdr(scn, &header) == nullptr || header.sh_type == SHT_NOBITS) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || std::strcmp(name, wanted) != 0) continue;
    const Elf_Data* data = elf_rawdata(scn, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return {{static_cast<const char*>(data->d_buf), data->d_size}, header.sh_addr};
  }
  return {};
}

/// The size of a function, from its entry in .eh_frame. The entry begins with length, CIE pointer,
/// function address and function size, each of four bytes in the output of today's linkers.
std::uint64_t size_of_function(const UnwindSection& frames, std::uint64_t entry_address) {
  if (entry_address < frames.address) return 0;
  return frames.at<std::uint32_t>(entry_address - frames.address + 12).value_or(0);
}

}  // namespace

UnwindBounds::UnwindBounds(Elf* elf) {
  // The table in .eh_frame_hdr has pairs (address of a function, address of its .eh_frame entry),
  // each a signed number of four bytes relative to the start of .eh_frame_hdr.
  constexpr std::uint8_t kUnsigned4 = 0x03;
  constexpr std::uint8_t kSigned4FromHeader = 0x3b;
  const UnwindSection header = section_of(elf, ".eh_frame_hdr");
  const UnwindSection frames = section_of(elf, ".eh_frame");
  if (header.at<std::uint8_t>(0) != std::uint8_t{1} || header.at<std::uint8_t>(2) != kUnsigned4 ||
      header.at<std::uint8_t>(3) != kSigned4FromHeader)
    return;
  const std::uint64_t count = header.at<std::uint32_t>(8).value_or(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto function = header.at<std::int32_t>(12 + 8 * i);
    const auto entry = header.at<std::int32_t>(16 + 8 * i);
    if (!function || !entry) break;
    const std::uint64_t begin =
        header.address + static_cast<std::uint64_t>(std::int64_t{*function});
    const std::uint64_t where = header.address + static_cast<std::uint64_t>(std::int64_t{*entry});
    ranges_.push_back({begin, begin + size_of_function(frames, where)});
  }
  std::sort(ranges_.begin(), ranges_.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

std::optional<std::uint64_t> UnwindBounds::begin_of(std::uint64_t address) const {
  const auto after = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](std::uint64_t wanted, const Range& range) { return wanted < range.begin; });
  if (after == ranges_.begin() || address >= std::prev(after)->end) return std::nullopt;
  return std::prev(after)->begin;
}

}  // namespace apmt
