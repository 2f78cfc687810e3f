#include "reports/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace apmt {
namespace {

struct Scale {
  double unit;
  const char* name;
};

std::string fixed(double value, int decimals) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, decimals);
  return {text.data(), end.ptr};
}

/// Rounds to `digits` significant digits. The unit is chosen after this rounding, so that 0.9996 s
/// becomes 1.00 s, not 1000 ms.
double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double magnitude = std::floor(std::log10(std::abs(value)));
  const double scale = std::pow(10.0, magnitude - (digits - 1));
  return std::round(value / scale) * scale;
}

template <std::size_t N>
const Scale& scale_of(double value, const std::array<Scale, N>& scales, int digits) {
  const double size = rounded(std::abs(value), digits);
  std::size_t i = 0;
  // Rounding may have turned 1 into 0.9999999999; such a value gets the larger unit.
  while (i + 1 < N && size >= scales[i + 1].unit * (1 - 1e-9)) ++i;
  return scales[i];
}

constexpr std::array<Scale, 5> kTimes{
    {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {36000, "h"}}};
constexpr std::array<Scale, 5> kBytes{
    {{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}, {1099511627776, "TiB"}}};
constexpr std::array<Scale, 5> kCounts{{{1, ""}, {1e4, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}};

double time_unit(const Scale& scale) { return scale.unit >= 3600 ? 3600 : scale.unit; }
double count_unit(const Scale& scale) { return scale.unit == 1e4 ? 1e3 : scale.unit; }

}  // namespace

std::string format_significant(double value, int digits) {
  if (!std::isfinite(value)) return "not finite";
  if (value == 0) return "0";
  const double size = std::abs(rounded(value, digits));
  const int magnitude = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  return fixed(rounded(value, digits), std::max(0, digits - 1 - magnitude));
}

bool is_no_time(double seconds) { return std::abs(seconds) < 1e-13; }

std::string format_seconds(double seconds, int digits) {
  if (is_no_time(seconds)) return "0 s";
  const Scale& scale = scale_of(seconds, kTimes, digits);
  return format_significant(seconds / time_unit(scale), digits) + " " + scale.name;
}

std::string format_seconds_range(double low, double high, int digits) {
  if (is_no_time(high)) return "0 s";
  if (is_no_time(low)) low = 0;
  const Scale& scale = scale_of(high, kTimes, digits);
  const double unit = time_unit(scale);
  return format_significant(low / unit, digits) + " to " + format_significant(high / unit, digits) +
         " " + scale.name;
}

std::string format_bytes(double bytes) {
  const Scale& scale = scale_of(bytes, kBytes, 4);
  const double value = bytes / scale.unit;
  const bool whole = scale.unit == 1 && value == std::floor(value);
  return (whole ? fixed(value, 0) : format_significant(value, value >= 1000 ? 4 : 3)) + " " +
         scale.name;
}

std::string format_count(double count) {
  const Scale& scale = scale_of(count, kCounts, 4);
  if (scale.unit == 1) {
    return count == std::floor(count) ? fixed(count, 0) : format_significant(count);
  }
  return format_significant(count / count_unit(scale)) + " " + scale.name;
}

std::string format_count_range(double low, double high) {
  return format_count(low) + " to " + format_count(high);
}

std::string format_share(double share) {
  if (share == 0) return "0 %";
  const double percent = share * 100;
  if (std::abs(percent) < 0.01) return "< 0.01 %";
  const int digits = std::abs(percent) < 0.1 ? 1 : std::abs(percent) >= 99.5 ? 3 : 2;
  return format_significant(percent, digits) + " %";
}

std::string error_words(double ln_sd) {
  constexpr double kLarge = 0.5, kMost = 10;
  if (ln_sd < kLarge) return format_share(ln_sd);
  const double factor = std::exp(ln_sd);
  return factor < kMost ? format_significant(factor, 2) + "x" : "over 10x";
}

std::string format_change(double change) {
  if (std::abs(change) < 5e-4) return "0 %";
  return (change > 0 ? "+" : "") + format_share(change);
}

std::string format_factor(double factor) {
  const bool whole = factor == std::floor(factor) && factor < 1e6;
  return (whole ? fixed(factor, 0) : format_significant(factor)) + "x";
}

std::string format_times(double factor) {
  std::string text = format_factor(factor);
  text.pop_back();
  return text + " times";
}

std::string format_number(double value) {
  return std::abs(value) < 1e15 && value == std::floor(value) ? fixed(value, 0)
                                                              : format_exact(value);
}

std::string format_size(double value) {
  if (value == std::floor(value)) return format_number(value);
  // Sizes that are calculated, as in weak scaling, may have fractions. These are shown only below
  // 1000.
  return std::abs(value) >= 1000 ? format_number(std::round(value)) : format_significant(value, 4);
}

std::string format_estimate(const TimeEstimate& time, double confidence) {
  const double width = time.time_s > 0 ? (time.high_s - time.low_s) / time.time_s : 1;
  const int digits = width > 0.1 ? 2 : 3;
  const double unit = time_unit(scale_of(time.time_s, kTimes, digits));
  return format_seconds(time.time_s, digits) + " (" +
         format_significant(time.low_s / unit, digits) + " to " +
         format_significant(time.high_s / unit, digits) + ", " + format_share(confidence) + ")";
}

std::string format_small_number(int number) {
  static constexpr std::array<const char*, 13> kWords{"no",   "one",    "two",   "three", "four",
                                                      "five", "six",    "seven", "eight", "nine",
                                                      "ten",  "eleven", "twelve"};
  if (number >= 0 && number < static_cast<int>(kWords.size())) {
    return kWords[static_cast<std::size_t>(number)];
  }
  return std::to_string(number);
}

std::string plural(double count, const std::string& one, const std::string& many) {
  return count == 1 ? "one " + one : format_count(count) + " " + many;
}

std::string join_list(const std::vector<std::string>& items, const std::string& last) {
  std::string joined;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) joined += i + 1 == items.size() ? last : ", ";
    joined += items[i];
  }
  return joined;
}

std::string join_numbers(const std::vector<int>& numbers) {
  constexpr std::size_t kMost = 10, kFirst = 3;  // readers skip longer lists
  std::vector<std::string> items;
  if (numbers.size() > kMost) {
    std::string text;
    for (std::size_t i = 0; i < kFirst; ++i) text += std::to_string(numbers[i]) + ", ";
    return text + "... " + std::to_string(numbers.back());
  }
  for (const int number : numbers) items.push_back(std::to_string(number));
  return join_list(items);
}

std::string format_cell(const ReportCell& cell, Quantity quantity) {
  if (!cell.value || !cell.text.empty()) return cell.text;
  const double value = *cell.value;
  switch (quantity) {
    case Quantity::kText:
      return cell.text;
    case Quantity::kSeconds:
      return format_seconds(value);
    case Quantity::kSecondsRange:
      return format_seconds_range(value, cell.high);
    case Quantity::kBytes:
      return format_bytes(value);
    case Quantity::kCount:
      return format_count(value);
    case Quantity::kCountRange:
      return format_count_range(value, cell.high);
    case Quantity::kProcs:
      return format_number(value);
    case Quantity::kSize:
    case Quantity::kPlain:
    case Quantity::kCoreHours:
      return format_size(value);
    case Quantity::kShare:
      return format_share(value);
    case Quantity::kChange:
      return format_change(value);
    case Quantity::kFactor:
      return format_factor(value);
  }
  return cell.text;
}

std::string format_exact(double value) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

}  // namespace apmt
