#include "reports/words.h"

#include <gtest/gtest.h>

namespace apmt {
namespace {

TEST(Words, WhatATerminalWouldObeyIsReplaced) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\xEF\xBF\xBD[31mb");
  EXPECT_EQ(printable("a\tb\nc"), "a b c");
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "a\xEF\xBF\xBD"
            "b");  // right-to-left override
  EXPECT_EQ(printable(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(Words, BrokenUtf8IsReplacedByteByByte) {
  EXPECT_EQ(printable("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(printable("\xE4\xBD"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut off
  EXPECT_EQ(printable("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(printable("gr\xC3\xBC\xC3\x9F"), "gr\xC3\xBC\xC3\x9F");
}

TEST(Words, TheMiddleGivesWay) {
  EXPECT_EQ(ellipsize("short", 10), "short");
  EXPECT_EQ(ellipsize("abcdefghijklmnop", 9), "abc...nop");
  EXPECT_EQ(ellipsize("abcdef", 2), "..");
}

TEST(Words, NoCharacterIsCut) {
  const std::string umlauts = "\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4\xC3\xA4";
  for (std::size_t width = 0; width < 10; ++width) {
    const std::string cut = ellipsize(umlauts, width);
    EXPECT_EQ(printable(cut), cut) << width;
    EXPECT_LE(display_width(cut), width);
  }
  const std::string wide = "\xE5\x8A\x9B\xE5\x8A\x9B\xE5\x8A\x9B\xE5\x8A\x9B\xE5\x8A\x9B";
  EXPECT_EQ(display_width(wide), 10U);
  EXPECT_LE(display_width(ellipsize(wide, 8)), 8U);
  EXPECT_EQ(printable(ellipsize(wide, 8)), ellipsize(wide, 8));
}

TEST(Words, LinesAreNoWiderThanAsked) {
  const auto lines = wrap("one two three abcdefghijklmnop four", 8);
  EXPECT_EQ(lines, (std::vector<std::string>{"one two", "three", "abcdefgh", "ijklmnop", "four"}));
  EXPECT_TRUE(wrap("", 8).empty());
}

TEST(Words, LongCppNamesLoseTheirArgumentsFirst) {
  EXPECT_EQ(short_name("solve(int)"), "solve(int)");
  EXPECT_EQ(
      short_name("ns::Matrix<double, std::allocator<double>>::multiply(ns::Vector<double> const&)"),
      "ns::Matrix<>::multiply()");
  EXPECT_LE(display_width(short_name(std::string(500, 'x'), 40)), 40U);
  const std::string arrow =
      "Matrix<double>::operator->(std::vector<std::vector<std::vector<int>>> const&)";
  EXPECT_LE(display_width(short_name(arrow, 40)), 40U);
}

}  // namespace
}  // namespace apmt
