// Readable numbers: three significant digits, a unit that keeps them short, never the user's
// locale.
#pragma once

#include <string>

#include "fitter/prediction.h"
#include "reports/report.h"

namespace apmt {

/// `digits` significant digits, no exponent, no unit: "1.90", "0.0312", "1240".
std::string format_significant(double value, int digits = 3);

std::string format_seconds(double seconds, int digits = 3);  // "1.90 s", "312 ms", "4.21 us"
std::string format_seconds_range(double low, double high, int digits = 3);  // "1.60 to 2.40 s"
std::string format_bytes(double bytes);                                     // "8 B", "1.25 MiB"
std::string format_count(double count);  // "4095", "12.3 k", "4.10 M"
std::string format_count_range(double low, double high);
std::string format_share(double share);    // "42 %", "3.1 %", "0 %"
std::string format_change(double change);  // "+12 %", "-3.1 %"
std::string format_factor(double factor);  // "8x", "1.5x"
std::string format_times(double factor);   // "8 times", "1.5 times"
std::string format_number(double value);   // as it was given
std::string format_size(
    double value);  // of a problem; a fraction is rounded to four digits or to a whole number

/// "1.9 s (1.6 to 2.4, 80 %)": as many digits as the interval supports.
std::string format_estimate(const TimeEstimate& time, double confidence);

/// 1 to 12 in words, more in digits.
std::string format_small_number(int number);
/// "one process", "8 processes"
std::string plural(double count, const std::string& one, const std::string& many);
/// "2, 4 and 8"
std::string join_list(const std::vector<std::string>& items, const std::string& last = " and ");
/// The same; of many, "2, 4, 6, ... 120".
std::string join_numbers(const std::vector<int>& numbers);

/// The cell in the format of its column; empty when the value is not known.
std::string format_cell(const ReportCell& cell, Quantity quantity);

/// Shortest form that reads back as the same number.
std::string format_exact(double value);

}  // namespace apmt
