#include "reports/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/render.h"
#include "reports/vocabulary.h"

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

TEST(Words, NamesBelowEachOtherStayApart) {
  const std::string solve =
      "void ns::solve<ns::Matrix<double, int, int> >(ns::Matrix<double, int, int>&, double*)";
  const std::string local =
      "(anonymous namespace)::grid_of(std::vector<double, std::allocator<double> > const&) const";
  EXPECT_EQ(short_names({solve, local}, 20),
            (std::vector<std::string>{"ns::solve<>()", "grid_of() const"}));
  const std::string first = "void ns::Hex8::gradients<double>(double const*, double*, double*)";
  const std::string second = "void ns::Hex8::gradients<double>(double const*, double&)";
  const std::vector<std::string> overloads = short_names({first, second, first}, 40);
  EXPECT_NE(overloads[0], overloads[1]);
  EXPECT_EQ(overloads[0], overloads[2]) << "equal names get equal words";
  const std::string rest = "(12 small functions)";
  const std::string call = "ns::operator()(int, double, float)";
  EXPECT_EQ(short_names({rest, call}, 14),
            (std::vector<std::string>{ellipsize(rest, 14), ellipsize(call, 14)}));
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

TEST(Words, NarrowColumnsKeepTheNameOfTheFunction) {
  const std::string solve =
      "void app::cg_solve<app::Matrix<double> >(app::Matrix<double>&, double*)";
  EXPECT_EQ(short_name(solve, 17), "app::cg_solve<>()");
  EXPECT_EQ(short_name(solve, 16), "app::cg_solve<>");
  EXPECT_EQ(short_name(solve, 13), "app::cg_solve");
  EXPECT_EQ(short_name(solve, 12), "cg_solve");
  EXPECT_EQ(short_name(solve, 7), "cg...ve");
  const std::string sum = "void app::sum_of_elements<app::Matrix<double> >(unsigned long, double&)";
  EXPECT_EQ(short_names({solve, sum}, 12), (std::vector<std::string>{"cg_solve", "sum_o...ents"}));
}

TEST(NarrowTables, NamesGiveWayBeforeOtherTexts) {
  ReportTable table{.id = "kernels"};
  table.columns = {{"kernel", "kernel", Quantity::kText, Source::kNone, false, true},
                   {"time", "time", Quantity::kSeconds},
                   {"of", "of", Quantity::kShare},
                   {"bound", "bound by", Quantity::kText},
                   {"wait", "waiting", Quantity::kSeconds}};
  ReportRow row;
  row.cells = {{.text = "a_function_whose_name_is_wider_than_its_column", .value = {}},
               {.text = {}, .value = 0.02},
               {.text = {}, .value = 0.5},
               {.text = "computation (100 %)", .value = {}},
               {.text = {}, .value = 0.01}};
  table.rows.push_back(row);
  Report report;
  report.title = report.headline = "A table";
  report.sections.push_back({.id = "kernels", .title = "Kernels"});
  report.sections.back().tables.push_back(table);
  const std::string text = render_text(report, 60);
  EXPECT_THAT(text, testing::HasSubstr("  computation (100 %)  "));
  EXPECT_THAT(text, testing::HasSubstr("10.0 ms"));
  EXPECT_THAT(text,
              testing::Not(testing::HasSubstr("a_function_whose_name_is_wider_than_its_column")));
}

TEST(TextTable, WordsContinueOnTheNextLine) {
  ReportTable table{.id = "kernels"};
  table.columns = {{"kernel", "kernel", Quantity::kText},
                   {"time", "time", Quantity::kSeconds},
                   {"bound", "bound by", Quantity::kText}};
  table.rows.push_back(
      {.cells = {text_cell("  a kernel with a name of many words"), number_cell(0.02),
                 text_cell("compute or memory, which is not known (85 %)")}});
  Report report;
  report.sections.push_back({.id = "kernels", .title = "Kernels", .tables = {table}});
  const std::string text = render_text(report, 60);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("...")));
  EXPECT_THAT(text, testing::HasSubstr("compute or memory,"));
  EXPECT_THAT(text, testing::HasSubstr("known (85 %)"));
}

TEST(TextTable, AWideTerminalShowsMoreColumnsButNoLongerSentences) {
  ReportTable table{.id = "wide"};
  ReportRow row;
  for (int i = 0; i < 12; ++i) {
    table.columns.push_back({"c", "column " + std::to_string(i), Quantity::kSeconds});
    row.cells.push_back(number_cell(1e-3 * (i + 1)));
  }
  table.rows.push_back(row);
  Report report;
  for (int i = 0; i < 40; ++i) report.headline += "word ";
  report.sections.push_back({.id = "wide", .title = "Wide", .tables = {table}});
  EXPECT_THAT(render_text(report, 60), testing::HasSubstr("wider terminal or --json shows all)"));
  const std::string text = render_text(report, 180);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("Not shown")));
  EXPECT_EQ(text.find('\n'), 99U);
}

TEST(TextTable, ColumnsWithoutRoomAreNotExplained) {
  ReportTable table{.id = "wide"};
  ReportRow row;
  for (int i = 0; i < 12; ++i) {
    table.columns.push_back({"c", "column " + std::to_string(i), Quantity::kSeconds});
    row.cells.push_back(number_cell(1e-3));
  }
  table.rows.push_back(row);
  table.caption = "all of one run; column 0: the first; column 11: the last";
  Report report;
  report.sections.push_back({.id = "wide", .title = "Wide", .tables = {table}});
  EXPECT_THAT(render_text(report, 60), testing::HasSubstr("(all of one run; column 0: the first)"));
  EXPECT_THAT(render_text(report, 180), testing::HasSubstr("column 11: the last)"));
}

TEST(FormulaLines, BeginWithATerm) {
  using Lines = std::vector<std::string>;
  const std::string formula = "(2 P - 2) D^0.5 + 17 log2(P) - 3 P";
  EXPECT_EQ(formula_lines(formula, 40), (Lines{formula}));
  EXPECT_EQ(formula_lines("12 P + 17 log2(P) - 3 P", 18), (Lines{"12 P + 17 log2(P)", "- 3 P"}));
  EXPECT_EQ(formula_lines("12 P + 17 log2(P)", 8), (Lines{"12 P", "+ 17", "log2(P)"}));
  EXPECT_EQ(formula_lines("", 8), (Lines{""}));
}

}  // namespace
}  // namespace apmt
