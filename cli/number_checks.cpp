#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>

#include "base/input_error.h"
#include "cli/arguments.h"
#include "reports/numbers.h"

namespace apmt {
namespace {

constexpr double kSmallest = 1e-9;

WordCheck checked(const std::string& wanted, const std::string& description,
                  std::function<bool(const std::string&)> is_good) {
  return {[=](const std::string& text) {
            return is_good(text) ? std::string() : "expected " + wanted + ", found '" + text + "'";
          },
          description};
}

bool is_number(const std::string& text, double low, double high) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) && value >= low && value <= high;
}

}  // namespace

WordCheck whole_number(long low, long high) {
  const std::string from = std::to_string(low), to = std::to_string(high);
  return checked("a whole number from " + from + " to " + to, "in [" + from + " - " + to + "]",
                 [=](const std::string& text) {
                   long value = 0;
                   const char* end = text.data() + text.size();
                   const auto [stop, error] = std::from_chars(text.data(), end, value);
                   return error == std::errc{} && stop == end && value >= low && value <= high;
                 });
}

WordCheck number(double low, double high) {
  const std::string from = format_number(low), to = format_number(high);
  return checked("a number from " + from + " to " + to, "in [" + from + " - " + to + "]",
                 [=](const std::string& text) { return is_number(text, low, high); });
}

WordCheck positive_number() {
  return checked("a number above 0", "above 0",
                 [](const std::string& text) { return is_number(text, kSmallest, 1e300); });
}

double number_with(const std::string& option, const std::string& text, const std::string& unit) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string after(rest, end);
  std::erase(after, ' ');
  if (error != std::errc{} || !(value > 0) || !std::isfinite(value) ||
      (!after.empty() && after != unit))
    throw InputError(
        option, "expected a positive number, with " + unit + " or without, not '" + text + "'");
  return after == "%" ? value / 100 : value;
}

}  // namespace apmt
