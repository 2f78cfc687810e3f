#include "base/json_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/input_error.h"
#include "base/words.h"

namespace apmt {
namespace {

constexpr double kMaxExact =
    9007199254740992;  // 2^53: a double holds every whole number up to this one

std::string one_of(Words words) {
  std::string text;
  for (const char* word : words) text += (text.empty() ? "'" : ", '") + std::string(word) + "'";
  return text;
}

bool holds(const std::string& value, Words words) {
  for (const char* word : words)
    if (value == word) return true;
  return false;
}

/// The number as a short text: 64, 0.25.
std::string text_of(double value) {
  const bool whole = value == std::floor(value) && std::abs(value) <= kMaxExact;
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : Json(value).dump();
}

/// The end of a range as a short text: 64, 1e+09.
std::string text_of_bound(double value) {
  return std::abs(value) < 1e6 ? text_of(value) : brief_number(value);
}

std::string range_text(const Rule& rule) {
  std::string range;
  if (rule.low != -kNoBound) range += "from " + text_of_bound(rule.low);
  if (rule.high != kNoBound)
    range += (range.empty() ? "up to " : " to ") + text_of_bound(rule.high);
  return range;
}

/// The unit of a field, from its name ("wall_s", "bytes_sent"); empty: none.
std::string unit_of(const std::string& path) {
  static constexpr std::array<std::array<const char*, 2>, 3> kUnits = {
      {{"_hz", "Hz"}, {"bytes", "bytes"}, {"_s", "s"}}};
  std::string name = path.substr(path.rfind('.') + 1);
  if (name.ends_with("[]")) name.resize(name.size() - 2);
  for (const auto& [ending, unit] : kUnits)
    if (name.ends_with(ending)) return unit;
  return name.starts_with("bytes_") ? "bytes" : "";
}

}  // namespace

std::string Place::text() const {
  if (!above) return name;
  return above->text() + "/" + (name ? std::string(name) : std::to_string(index));
}

void require(bool kept, const std::string& file, const std::string& place,
             const std::string& expected) {
  if (!kept) throw InputError(file + ":" + place, "expected " + expected);
}

namespace by_table {

std::size_t index_of(const JsonAt& json, Words words) {
  const std::string found = json.string();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (found == words[i]) return i;
  json.fail("one of " + one_of(words) + " (not '" + found + "')");
}

std::int64_t whole_number(const JsonAt& json, bool is_signed, std::size_t bytes) {
  const auto most = static_cast<std::int64_t>(bytes < 8 ? std::ldexp(1, 31) - 1 : kMaxExact);
  return json.integer_in(is_signed ? -most : 0, most);
}

void check_number(double value, const Rule& rule, bool whole, const std::string& file,
                  const Place& place) {
  if (std::isfinite(value) && value >= rule.low && value <= rule.high) return;
  require(std::isfinite(value), file, place.text(), "a finite number");
  const bool not_negative = !whole && rule.low == 0 && value < 0;
  require(false, file, place.text(),
          (not_negative ? "a number that is not negative"
                        : (whole ? "a whole number " : "a number ") + range_text(rule)) +
              ", found " + text_of(value));
}

void check_derived(const JsonAt& found, double follows) {
  const double value = found.number();
  const double tolerance = 1e-6 * std::max(std::abs(value), std::abs(follows));
  require(std::abs(value - follows) <= tolerance, found.file(), found.place(),
          text_of(follows) + ", as the other numbers there give, found " + text_of(value));
}

void check_text(const std::string& value, const Rule& rule, const std::string& file,
                const Place& place) {
  if (rule.content && value.empty()) require(false, file, place.text(), rule.content);
  if (!rule.words.empty() && !holds(value, rule.words))
    require(false, file, place.text(), "one of " + one_of(rule.words) + " (not '" + value + "')");
}

FieldLine line(const std::string& path, const char* type, const Rule& rule, Absence absence) {
  FieldLine line{path, type, unit_of(path), {}, {}};
  if (!rule.words.empty())
    line.rule = one_of(rule.words);
  else if (rule.content)
    line.rule = "not empty";
  else
    line.rule = range_text(rule);
  switch (absence) {
    case Absence::kNever:
      break;
    case Absence::kOlderFiles:
      line.absence = "absent in older files";
      break;
    case Absence::kNull:
      line.absence = "`null`";
      break;
    case Absence::kOmitted:
      line.absence = "left out";
      break;
  }
  return line;
}

}  // namespace by_table
}  // namespace apmt
