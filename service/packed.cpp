#include "service/packed.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

#include "base/input_error.h"

namespace apmt::service {
namespace {

/// Frees the state of a decompression at the end of its scope.
struct Inflation {
  z_stream stream{};
  ~Inflation() { inflateEnd(&stream); }
};

}  // namespace

std::string pack(std::string_view text) {
  uLongf length = compressBound(text.size());
  std::string packed(length, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                reinterpret_cast<const Bytef*>(text.data()), text.size(),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    throw InputError("", "zlib has not enough memory", {}, ExitCode::kFailed);
  packed.resize(length);
  return packed;
}

std::string unpack(std::string_view packed, std::size_t most_bytes, const std::string& name) {
  constexpr int kZlibOrGzip = MAX_WBITS + 32;
  constexpr std::size_t kPiece = 1 << 16;
  Inflation inflation;
  z_stream& stream = inflation.stream;
  if (inflateInit2(&stream, kZlibOrGzip) != Z_OK)
    throw InputError(name, "zlib has not enough memory", {}, ExitCode::kFailed);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::vector<char> piece(kPiece);
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END)
      throw InputError(name, "is not compressed by zlib or gzip, or is damaged");
    const std::size_t made = piece.size() - stream.avail_out;
    if (text.size() + made > most_bytes)
      throw InputError(name, "unpacks to more than " + std::to_string(most_bytes) + " bytes");
    text.append(piece.data(), made);
  }
  return text;
}

}  // namespace apmt::service
