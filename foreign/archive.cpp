#include "foreign/archive.h"

#include <zlib.h>

#include <array>
#include <charconv>
#include <optional>

#include "base/input_error.h"
#include "base/words.h"

namespace apmt {
namespace {

constexpr int kAnyHeader = 15 + 32;  // zlib's code for a header of gzip or zlib
constexpr int kNoHeader = -15;

std::string inflated(std::string_view bytes, int header, const std::string& file,
                     std::size_t most = kMostBytes) {
  z_stream stream = {};
  if (inflateInit2(&stream, header) != Z_OK)
    throw InputError(file, "cannot be unpacked: no memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(std::min(bytes.size(), kMostBytes));
  std::string out;
  std::array<char, 1 << 16> buffer;
  int state = Z_OK;
  while (state == Z_OK && out.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    state = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > most) throw InputError(file, "unpacks to more than " + counted(most, "byte"));
  if (state != Z_STREAM_END) throw InputError(file, "contains damaged compressed data");
  return out;
}

std::uint64_t little_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = size; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

}  // namespace

std::map<std::string, std::string_view> tar_members(std::string_view archive,
                                                    const std::string& file) {
  constexpr std::size_t kBlock = 512;
  constexpr std::size_t kNameSize = 100;
  constexpr std::size_t kSizeAt = 124;
  constexpr std::size_t kTypeAt = 156;
  std::map<std::string, std::string_view> members;
  std::size_t at = 0;
  while (at + kBlock <= archive.size() && archive[at] != '\0') {
    const std::string_view header = archive.substr(at, kBlock);
    std::string_view name = header.substr(0, kNameSize);
    name = name.substr(0, name.find('\0'));
    std::string_view digits = header.substr(kSizeAt, 11);
    digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
    std::size_t size = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), size, 8);
    if (error != std::errc() || size > archive.size() - at - kBlock)
      throw InputError(file,
                       "is not a complete tar archive: '" + std::string(name) + "' is cut off",
                       "the file may be cut off");
    if (header[kTypeAt] == '0' || header[kTypeAt] == '\0')
      members[std::string(name)] = archive.substr(at + kBlock, size);
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return members;
}

std::string zip_member(std::string_view archive, const std::string& ending,
                       const std::string& file) {
  // The sizes are read from the directory at the end of the archive, because the headers before the
  // members lack them if the archive was written as a stream.
  constexpr std::string_view kDirectoryEntry = "PK\1\2";
  constexpr std::string_view kLocalHeader = "PK\3\4";
  constexpr std::size_t kEntrySize = 46;
  constexpr std::size_t kLocalSize = 30;
  const auto damaged = [&] { return InputError(file, "is not a complete zip archive"); };
  const std::size_t end = archive.rfind("PK\5\6");
  if (end == std::string_view::npos || end + 22 > archive.size()) throw damaged();
  std::size_t at = little_endian(archive, end + 16, 4);
  while (at + kEntrySize <= end && archive.substr(at, 4) == kDirectoryEntry) {
    const std::uint64_t method = little_endian(archive, at + 10, 2);
    const std::uint64_t size = little_endian(archive, at + 20, 4);
    const std::uint64_t name_size = little_endian(archive, at + 28, 2);
    const std::uint64_t local = little_endian(archive, at + 42, 4);
    if (at + kEntrySize + name_size > end) throw damaged();
    const std::string_view name = archive.substr(at + kEntrySize, name_size);
    if (name.ends_with(ending)) {
      if (local + kLocalSize > end || archive.substr(local, 4) != kLocalHeader) throw damaged();
      const std::uint64_t from = local + kLocalSize + little_endian(archive, local + 26, 2) +
                                 little_endian(archive, local + 28, 2);
      if (from + size > end) throw damaged();
      const std::string_view packed = archive.substr(from, size);
      constexpr std::uint64_t kStored = 0;
      constexpr std::uint64_t kDeflated = 8;
      if (method == kStored) return std::string(packed);
      if (method == kDeflated) return inflated(packed, kNoHeader, file);
      throw InputError(file, "is packed in a way that apmt does not read", "unzip it");
    }
    at += kEntrySize + name_size + little_endian(archive, at + 30, 2) +
          little_endian(archive, at + 32, 2);
  }
  throw InputError(file, "has no member that ends in '" + ending + "'");
}

std::string unpacked(std::string_view bytes, const std::string& file, std::size_t most) {
  return inflated(bytes, kAnyHeader, file, most);
}

}  // namespace apmt
