// Formats numbers for readers: usually three significant digits, with a unit that keeps the number
// short. The user's locale has no effect.
#pragma once

#include <string>

#include "fitter/prediction/prediction.h"
#include "reports/report.h"

namespace apmt {

/// `digits` significant digits, no exponent, no unit: "1.90", "0.0312", "1240".
std::string format_significant(double value, int digits = 3);

/// Whether a time is below any clock, and below the time of a byte on any network: shown as "0 s".
bool is_no_time(double seconds);
std::string format_seconds(double seconds, int digits = 3);  // "1.90 s", "312 ms", "4.21 us"
std::string format_seconds_range(double low, double high, int digits = 3);  // "1.60 to 2.40 s"
std::string format_bytes(double bytes);                                     // "8 B", "1.25 MiB"
std::string format_count(double count);  // "4095", "12.3 k", "4.10 M"
std::string format_count_range(double low, double high);
std::string format_share(double share);  // "42 %", "3.1 %", "0 %"
/// The standard error of a quantity whose logarithm has this standard deviation: "12 %", "2.3x" (a
/// factor), "over 10x".
std::string error_words(double ln_sd);
std::string format_change(double change);  // "+12 %", "-3.1 %"
std::string format_factor(double factor);  // "8x", "1.5x"
std::string format_times(double factor);   // "8 times", "1.5 times"
std::string format_number(double value);   // not rounded
std::string format_size(double value);     // a problem size; see numbers.cpp for its rounding

/// "1.9 s (1.6 to 2.4, 80 %)", with fewer digits for a wide interval.
std::string format_estimate(const TimeEstimate& time, double confidence);

/// 0 to 12 as words ("no", "one", ...), larger numbers as digits.
std::string format_small_number(int number);
/// "one process", "8 processes"
std::string plural(double count, const std::string& one, const std::string& many);
/// "2, 4 and 8"
std::string join_list(const std::vector<std::string>& items, const std::string& last = " and ");
/// Like join_list; a long list becomes "2, 4, 6, ... 120".
std::string join_numbers(const std::vector<int>& numbers);

/// The cell in the format of its column; empty when the value is not known.
std::string format_cell(const ReportCell& cell, Quantity quantity);

/// The shortest decimal form that reads back as exactly the same number.
std::string format_exact(double value);

}  // namespace apmt
