#include "base/checked_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/atomic_file.h"
#include "base/input_error.h"
#include "base/temporary_folder.h"

namespace apmt {
namespace {

using testing::HasSubstr;

template <typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(CheckedJson, NamesFileAndPlace) {
  const Json json = parse_json(R"({"a": {"b": [1, 2, "x"]}})", "f.json");
  const JsonAt root(json, "f.json");
  EXPECT_EQ(message_of([&] { root.at("a").at("b").non_negative_numbers(); }),
            "f.json:/a/b/2: expected a number, found string");
  EXPECT_EQ(message_of([&] { root.at("c"); }), "f.json: 'c' is missing");
}

TEST(CheckedJson, NumbersAreFiniteAndInRange) {
  const Json json = parse_json(R"({"n": -1, "f": 1.5, "ok": 7, "null": null})", "f");
  const JsonAt root(json, "f");
  EXPECT_THAT(message_of([&] { root.at("n").non_negative(); }),
              HasSubstr("/n: expected a number that is not"));
  EXPECT_THAT(message_of([&] { root.at("f").integer(); }), HasSubstr("a whole number"));
  EXPECT_THAT(message_of([&] { root.at("ok").integer_in(0, 3); }), HasSubstr("from 0 to 3"));
  EXPECT_EQ(root.at("ok").integer_in(0, 7), 7);
  EXPECT_EQ(root.number_or_null("null"), std::nullopt);
  EXPECT_EQ(root.number_or_null("absent"), std::nullopt);
  EXPECT_EQ(root.number_or_null("f"), 1.5);
}

TEST(CheckedJson, OverflowingNumbersAreRefused) {
  EXPECT_EQ(message_of([] { parse_json(R"({"x": 1e999})", "f"); }),
            "f: a number in it is too large for a double");
}

TEST(CheckedJson, NamesThatAreNotUtf8AreReplacedNotRefused) {
  EXPECT_EQ(format_json(Json{{"name", "a\xff"}}), "{\n  \"name\": \"a\xef\xbf\xbd\"\n}\n");
}

TEST(CheckedJson, DamagedTextNamesTheFile) {
  EXPECT_THAT(message_of([] { parse_json("{\"a\": ", "cut.json"); }),
              HasSubstr("cut.json: not valid JSON"));
}

TEST(CheckedJson, TextThatIsNotDamagedIsNotCalledDamaged) {
  for (const auto& [text, found] : {std::pair("{\"value\": NaN}", "byte 11: JSON has no NaN"),
                                    {"[-Infinity]", "JSON has no Infinity"},
                                    {"{\"gr\xF6\xDF"
                                     "e\": 1}",
                                     "the text is not UTF-8"}})
    EXPECT_THAT(message_of([&, text = text] { parse_json(text, "x.json"); }), HasSubstr(found));
}

TEST(CheckedJson, FilesOfAnotherKindOrVersionAreRefused) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.json";
  write_file_atomically(path, R"({"format": "apmt-model", "format_version": "2.0"})");
  EXPECT_THAT(message_of([&] { read_json_file(path, "apmt-run-profile", 1); }),
              HasSubstr("this is a 'apmt-model'"));
  EXPECT_THAT(message_of([&] { read_json_file(path, "apmt-model", 1); }),
              HasSubstr("format_version 2.0 is not known"));
  EXPECT_EQ(message_of([&] { read_json_file(path, "apmt-model", 2); }), "no error");
}

TEST(CheckedJson, WritesTheSameTextEveryTime) {
  const Json json = parse_json(R"({"b": [1, 2.5], "a": {"x": [], "y": [{"z": null}]}})", "f");
  EXPECT_EQ(format_json(json), R"({
  "a": {
    "x": [],
    "y": [
      {"z":null}
    ]
  },
  "b": [1,2.5]
}
)");
}

}  // namespace
}  // namespace apmt
