// Tests of compression, and of the limit of what is unpacked.

#include "service/packed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/input_error.h"

namespace apmt::service {
namespace {

constexpr std::size_t kPlenty = 1 << 26;

TEST(Packed, UnpacksWhatWasPacked) {
  for (const std::string& text :
       {std::string(), std::string("a"), std::string(200'000, 'x'), std::string("\0\xff\n", 3)})
    EXPECT_EQ(unpack(pack(text), kPlenty, "test"), text);
}

TEST(Packed, ReadsGzip) {
  const std::string text = "text of curl --compressed";
  std::string packed(1000, '\0');
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  EXPECT_EQ(unpack(packed, kPlenty, "test"), text);
}

TEST(Packed, StopsABombAtTheLimit) {
  const std::string bomb = pack(std::string(std::size_t{1} << 26, '\0'));
  EXPECT_LT(bomb.size(), std::size_t{1} << 17);
  EXPECT_THROW(unpack(bomb, 1 << 20, "bomb"), InputError);
  EXPECT_EQ(unpack(bomb, std::size_t{1} << 26, "bomb").size(), std::size_t{1} << 26);
}

TEST(Packed, RefusesDamagedBytes) {
  const std::string packed = pack("some text that is long enough to be cut off somewhere");
  EXPECT_THROW(unpack("", kPlenty, "empty"), InputError);
  EXPECT_THROW(unpack("plain text", kPlenty, "plain"), InputError);
  for (std::size_t length = 1; length < packed.size(); ++length)
    EXPECT_THROW(unpack(packed.substr(0, length), kPlenty, "cut"), InputError) << length;
  std::string flipped = packed;
  flipped[packed.size() / 2] = static_cast<char>(flipped[packed.size() / 2] ^ 0x10);
  EXPECT_THROW(unpack(flipped, kPlenty, "flipped"), InputError);
}

}  // namespace
}  // namespace apmt::service
