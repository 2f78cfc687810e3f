#include "base/checked_json.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/atomic_file.h"
#include "base/input_error.h"

namespace apmt {

JsonAt JsonAt::at(const std::string& key) const {
  if (!value_->is_object()) fail("an object");
  const auto it = value_->find(key);
  if (it == value_->end() || it->is_null()) throw InputError(where(), "'" + key + "' is missing");
  return {*it, file_, place_ + "/" + key};
}

std::optional<JsonAt> JsonAt::find(const std::string& key) const {
  if (!value_->is_object()) fail("an object");
  const auto it = value_->find(key);
  if (it == value_->end() || it->is_null()) return std::nullopt;
  return JsonAt{*it, file_, place_ + "/" + key};
}

std::string JsonAt::string() const {
  if (!value_->is_string()) fail("a string");
  return value_->get<std::string>();
}

bool JsonAt::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

double JsonAt::number() const {
  if (!value_->is_number()) fail("a number");
  const double x = value_->get<double>();
  if (!std::isfinite(x)) fail("a finite number");
  return x;
}

double JsonAt::non_negative() const {
  const double x = number();
  if (x < 0) fail("a number that is not negative");
  return x;
}

std::int64_t JsonAt::integer() const {
  const double x = number();
  if (x != std::floor(x) || std::abs(x) > 9007199254740992.0) fail("a whole number");
  return static_cast<std::int64_t>(x);
}

std::int64_t JsonAt::integer_in(std::int64_t low, std::int64_t high) const {
  const std::int64_t n = integer();
  if (n < low || n > high)
    fail("a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return n;
}

std::optional<double> JsonAt::number_or_null(const std::string& key) const {
  const auto member = find(key);
  return member ? std::optional<double>(member->number()) : std::nullopt;
}

void JsonAt::for_each(const std::function<void(const JsonAt&)>& element) const {
  if (!value_->is_array()) fail("an array");
  for (std::size_t i = 0; i < value_->size(); ++i)
    element({(*value_)[i], file_, place_ + "/" + std::to_string(i)});
}

void JsonAt::for_each_member(
    const std::function<void(const std::string&, const JsonAt&)>& member) const {
  if (!value_->is_object()) fail("an object");
  for (const auto& [key, value] : value_->items()) member(key, {value, file_, place_ + "/" + key});
}

std::vector<double> JsonAt::non_negative_numbers() const {
  std::vector<double> numbers;
  for_each([&](const JsonAt& element) { numbers.push_back(element.non_negative()); });
  return numbers;
}

std::string JsonAt::where() const { return place_.empty() ? file_ : file_ + ":" + place_; }

void JsonAt::fail(const std::string& expected) const {
  throw InputError(where(), "expected " + expected + ", found " + std::string(value_->type_name()));
}

namespace {

/// The error for a text that is not valid JSON. A file need not be damaged for this: other
/// programs write numbers that JSON does not have, or text in another encoding.
InputError not_json(const std::string& text, const std::string& name,
                    const Json::parse_error& error) {
  const std::string what = "not valid JSON near byte " + std::to_string(error.byte);
  const std::string_view rest = std::string_view(text).substr(
      std::min(text.size(), std::max<std::size_t>(error.byte, 1) - 1));
  for (const std::string_view word : {"NaN", "Infinity"})
    if (rest.starts_with(word))
      return {name, what + ": JSON has no " + std::string(word),
              "leave such values out (json.dump of Python writes them)"};
  if (std::string_view(error.what()).find("UTF-8") != std::string_view::npos)
    return {name, what + ": the text is not UTF-8",
            "convert it, e.g. from Latin-1: iconv -f latin1 -t utf-8 FILE"};
  return {name, what, "the file is damaged or was cut off; make it again"};
}

}  // namespace

Json parse_json(const std::string& text, const std::string& name) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw not_json(text, name, error);
  } catch (const Json::out_of_range&) {
    throw InputError(name, "a number in it is too large for a double");
  }
}

Json read_json_file(const std::filesystem::path& path, const std::string& format, int known_major) {
  Json document = parse_json(read_whole_file(path), path.string());
  const JsonAt root(document, path.string());
  const std::string found = root.at("format").string();
  if (found != format)
    throw InputError(path.string(), "this is a '" + found + "', expected a '" + format + "'");
  const std::string version = root.at("format_version").string();
  if (version.substr(0, version.find('.')) != std::to_string(known_major))
    throw InputError(path.string(),
                     "format_version " + version + " is not known, expected " +
                         std::to_string(known_major) + ".x",
                     "it was written by another version of apmt; use that one, or make it again");
  return document;
}

Json json_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace apmt
