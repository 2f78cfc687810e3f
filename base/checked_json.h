// Reads and writes JSON. JSON from a file is not trusted: if a value is not as expected, the error
// message names the file and the path of the value in it. Output is deterministic: keys are sorted,
// numbers have the fewest digits that read back as the same number, and NaN and infinity become
// null.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace apmt {

using Json = nlohmann::json;

/// A value inside a JSON document, together with its path there, for reading. The document must
/// outlive this object.
class JsonAt {
 public:
  JsonAt(const Json& value, std::string file, std::string place = {})
      : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

  /// The member `key`; throws InputError if it is absent or null.
  JsonAt at(const std::string& key) const;
  /// The member `key`; nullopt if it is absent or null.
  std::optional<JsonAt> find(const std::string& key) const;

  std::string string() const;
  bool boolean() const;
  double number() const;         // finite
  double non_negative() const;   // finite, >= 0
  std::int64_t integer() const;  // a whole number that a double holds exactly
  std::int64_t integer_in(std::int64_t low, std::int64_t high) const;
  std::optional<double> number_or_null(const std::string& key) const;  // absent counts as null

  void for_each(const std::function<void(const JsonAt&)>& element) const;  // of an array
  void for_each_member(const std::function<void(const std::string&, const JsonAt&)>& member) const;
  std::vector<double> non_negative_numbers() const;  // the value is an array of such numbers

  [[noreturn]] void fail(const std::string& expected) const;
  const std::string& file() const { return file_; }
  const std::string& place() const { return place_; }

 private:
  std::string where() const;  // file and place, for messages
  const Json* value_;
  std::string file_;
  std::string place_;
};

/// Parses a file whose top level is an object with "format" == `format` and a "format_version" of
/// the form "major.minor" whose major number is `known_major`. Throws InputError otherwise.
Json read_json_file(const std::filesystem::path& path, const std::string& format, int known_major);

/// Parses text. Error messages use `name` in place of a file name.
Json parse_json(const std::string& text, const std::string& name);

/// JSON text with two-space indentation, arrays of numbers and strings on one line, and a final
/// newline.
std::string format_json(const Json& value);

/// An array of the values, each as to_json() writes it.
template <typename T>
Json array_of(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(to_json(value));
  return array;
}

/// The number, or null if there is none.
Json json_or_null(const std::optional<double>& value);

}  // namespace apmt
