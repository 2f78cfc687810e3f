// Tests of addresses that clients send or users type.

#include "service/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/input_error.h"

namespace apmt::service {
namespace {

using ::testing::ElementsAre;

TEST(Target, IsTakenApart) {
  const Target target = *parse_target("/api/v1/x%2Fy?name=a+b%26c&empty=&flag");
  EXPECT_THAT(target.path, ElementsAre("api", "v1", "x/y"));
  EXPECT_EQ(target.query.at("name"), "a b&c");
  EXPECT_EQ(target.query.at("empty"), "");
  EXPECT_EQ(target.query.at("flag"), "");
  EXPECT_TRUE(parse_target("/")->path.empty());
}

TEST(Target, RefusesWaysOutOfItsFolder) {
  for (const char* target :
       {"/..", "/../etc/passwd", "/a/../../b", "/%2e%2e/etc", "/%2E./x", "/a/./b", "/.%2e"})
    EXPECT_FALSE(parse_target(target)) << target;
}

TEST(Target, RefusesMalformedText) {
  for (const char* target : {"", "no-slash", "http://host/", "/%", "/%4", "/%zz", "/a%00b",
                             "/?x=%00", "/%ff", "/?n=%c3", "/?a=1&a=2"})
    EXPECT_FALSE(parse_target(target)) << target;
}

TEST(Target, EscapedTextComesBack) {
  std::string all;
  for (char c = 1; c < 0x7f; ++c) all += c;
  all += "\xc3\xa4<script>&'\"";
  EXPECT_EQ(parse_target("/?x=" + escaped(all))->query.at("x"), all);
}

TEST(ServerUrl, IsTakenApart) {
  const ServerUrl plain = parse_server_url("http://127.0.0.1:8440");
  EXPECT_EQ(plain.host, "127.0.0.1");
  EXPECT_EQ(plain.port, "8440");
  EXPECT_FALSE(plain.is_encrypted);
  const ServerUrl encrypted = parse_server_url("https://apmt.example.org/site/");
  EXPECT_EQ(encrypted.port, "443");
  EXPECT_EQ(encrypted.prefix, "/site");
  EXPECT_TRUE(encrypted.is_encrypted);
  const ServerUrl six = parse_server_url("http://[::1]:80");
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.port, "80");
}

TEST(ServerUrl, RefusesOtherTexts) {
  for (const char* text : {"", "host:80", "ftp://host", "http://", "http://:80", "http://host:",
                           "http://host:port", "http://user:secret@host", "http://[::1"})
    EXPECT_THROW(parse_server_url(text), InputError) << text;
}

}  // namespace
}  // namespace apmt::service
